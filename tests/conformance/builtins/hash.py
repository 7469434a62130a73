class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))


print(hash("ab") == hash("a" + "b"), hash(1) == hash(1.0) == hash(True), hash((1, 2)) == hash((1, 2)))
print(hash(2 ** 100) == hash(2.0 ** 100), hash(None) == hash(None), hash(range(3)) == hash(range(0, 3)))
print(isinstance(hash("x"), int), Point(1, 2) in {Point(1, 2)}, {Point(1, 2): 5}[Point(1, 2)])
for v in ([], {}, set(), [1], ({},)):
    try:
        hash(v)
    except TypeError as e:
        print(e)
