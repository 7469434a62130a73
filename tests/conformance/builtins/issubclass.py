class A(ValueError):
    pass
print(issubclass(A, Exception), issubclass(bool, int), issubclass(int, (str, object)), issubclass(str, int))
