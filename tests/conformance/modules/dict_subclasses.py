class Table(dict):
    kind = "t"

    def __init__(self, *args, **keywords):
        super().__init__(*args, **keywords)
        self.misses = 0

    def __missing__(self, key):
        self.misses += 1
        return key * 2

    def both(self, a, b):
        return self[a], self[b]


t = Table({1: 10}, x=20)
print(t[1], t["x"], t[5], t.both(1, 7), t.misses, len(t), 5 in t, t.get(5), t)
print(isinstance(t, dict), type(t).__name__, t == {1: 10, "x": 20}, dict(t), {**t}, t.kind, t.__dict__, sorted(map(str, t)))
t.update(y=1)
t.setdefault("z", 2)
del t[1]
print(t, t.copy(), bool(Table()), [k for k in t.keys()], hasattr(t, "misses"), hasattr({}, "misses"))


class Named(Table):
    def __repr__(self):
        return "Named(%d)" % len(self)


n = Named(a=1)
print(n, repr(n), str(n), "%s" % n, f"{n}", [n], n["b"], n.misses, issubclass(Named, dict))
