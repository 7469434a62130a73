class Base:
    def __init__(self, n):
        self.n = n


class Tile(Base):
    def __init__(self, n, m):
        super().__init__(n)
        self.m = m

    @property
    def size(self):
        return self.n * self.m

    def __eq__(self, other):
        return self.n == other.n


total = 0
last = Tile(0, 0)
for i in range(300000):
    t = Tile(i, 2)
    total += t.size
    total += isinstance(t, Base) + (t == last)
    last = t
print(total)
