class A:
    def m(self):
        pass
print(callable(len), callable(A), callable(A().m), callable(5), callable(lambda: 0), callable(int), callable(A()))
print(hasattr([], "append"), hasattr([], "nope"), hasattr(A, "m"), hasattr("", "join"), hasattr({}, "get"))
