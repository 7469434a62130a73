# A hierarchy with properties, class and static methods, super, operators and iteration.
class Unit:
    count = 0

    def __init__(self, name, size):
        self.name = name
        self._size = size
        Unit.count += 1

    @property
    def size(self):
        return self._size

    @size.setter
    def size(self, value):
        if value < 0:
            raise ValueError(value)
        self._size = value

    @staticmethod
    def align(n, to):
        return (n + to - 1) // to * to

    @classmethod
    def block(cls, name):
        return cls(name, 32)

    def __add__(self, other):
        return self.size + other.size

    def __lt__(self, other):
        return self.size < other.size

    def __len__(self):
        return self._size


class Buffer(Unit):
    def __init__(self, name, size, scope):
        super().__init__(name, size)
        self.scope = scope

    def room(self):
        return self.align(self.size, 32)


class Tile(Buffer):
    def room(self):
        return super().room() + len(self)

    def __getitem__(self, i):
        return self.size * i


total = 0
units = []
for i in range(40000):
    t = Tile("t", i % 1000 + 1, "ub")
    t.size = t.size + 1
    total += t.room() + t[3] + (t + t)
    if i % 8 == 0:
        units.append(t)
        total += Unit.block("b").size
units.sort()
print(total, Unit.count, units[0].size, max(units).size)
