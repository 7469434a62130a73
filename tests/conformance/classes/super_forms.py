class A:
    def f(self, n):
        return ["A", n]
    @classmethod
    def make(cls):
        return cls.__name__
class B(A):
    def f(self, n):
        return ["B"] + super().f(n + 1)
    @classmethod
    def make(cls):
        return "B:" + super().make()
class C(B):
    def f(self, n):
        return ["C"] + super(C, self).f(n + 1)
print(C().f(0), C.make(), B().f(5))
