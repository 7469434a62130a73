class A:
    """text"""
    x = 1
    def __init__(self, v):
        self.v = v
    def get(self):
        return self.v + self.x
a = A(5)
print(a.get(), A.x, a.x, A.get(a))
a.x = 10
print(a.get(), A.x, A(1).x)
A.x = 100
print(A(1).get(), a.get())
