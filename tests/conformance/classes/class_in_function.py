def make(n):
    class Local:
        size = n
        def get(self):
            return self.size * n
    return Local
A = make(2)
B = make(3)
print(A().get(), B().get(), A is B, A.__name__)
