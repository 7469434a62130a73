class A:
    pass
class B(A):
    def f(self):
        return super().nothing()
B().f()
