class A:
    def __init__(self, n):
        self.n = n
    def get(self, k=1):
        return self.n * k
a = A(3)
g = a.get
a.n = 4
print(g(), g(2), [f() for f in (A(1).get, A(2).get)], A.get(a, 5))
a.get = lambda: "own"
print(a.get(), g())
