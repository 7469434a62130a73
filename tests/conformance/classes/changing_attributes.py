# Attributes and methods that come, change and go at one place of the program, in instances that have them in other orders.
class Base:
    shared = 1

    def name(self):
        return "base"


class Derived(Base):
    def __init__(self, order):
        for letter in order:
            setattr(self, letter, letter)


class Guarded:
    def __init__(self):
        self.v = 1

    @property
    def p(self):
        return self.v

    @p.setter
    def p(self, v):
        self.v = v * 10


def change(x):
    x.a = x.a + "+"
    x.a += "!"
    return x.a, x.name(), x.shared


objects = [Derived("abc"), Derived("cba"), Derived("a"), Derived("xyzuvwstqa")]
for x in objects + objects[::-1]:
    print(change(x))
objects[1].name = lambda: "own"
Derived.shared = 2
objects[2].shared = 3
for x in objects:
    print(change(x))
Base.name = lambda self: "changed"
del objects[1].name
for x in objects:
    print(change(x))
for x in (Guarded(), objects[0], Guarded()):
    x.p = 4
    print(x.p, sorted(vars(x)))
