class A:
    x = None
print(getattr(A, "x", 1), getattr(A, "y", 1), getattr([], "foo", None), getattr("abc", "upper")())
