class A:
    pass
class B(object):
    pass
class C():
    x = 1
print(type(A()).__name__, isinstance(B(), object), C().x, A().__class__ is A, A() == A())
