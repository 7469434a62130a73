class A:
    pass
class B(A):
    pass
b = B()
print(type(b) is B, type(b) is A, type(b) == B, b.__class__.__name__, type(b).__name__, B.__name__)
print(type(1) is int, type("") == str, type(None) is type(None), type([]) in (list, tuple), type(A) is type)
print(isinstance(b, (int, A)), isinstance(True, int), isinstance(1, bool), isinstance(1, (str, (int,))))
