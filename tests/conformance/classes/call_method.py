class Adder:
    def __init__(self, n):
        self.n = n
    def __call__(self, x, *rest):
        return self.n + x + len(rest)
a = Adder(10)
print(a(1), a(1, 2, 3), [Adder(i)(0) for i in range(3)], callable(a), list(map(a, [1, 2])))
