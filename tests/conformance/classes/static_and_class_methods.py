class A:
    k = 3
    @staticmethod
    def s(x):
        return x * 2
    @classmethod
    def c(cls, x):
        return cls.k + x
class B(A):
    k = 30
print(A.s(2), A().s(3), A.c(1), B.c(1), B().c(2), B.s("x"))
f = B.c
print(f(5))
