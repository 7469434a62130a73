f = frozenset([1, 2, 2])
print(f, frozenset(), len(f), 1 in f, sorted(f), frozenset("a"), frozenset(f) == f)
print(f == {1, 2}, {1, 2} == f, f != {1}, f < {1, 2, 3}, f <= f, f.issubset([1, 2, 3]))
print(f | {3}, {3} | f, f & {1}, f - {1}, f ^ {2, 3}, f.union([5]), f.copy() == f)
print(type(f | {3}).__name__, type({3} | f).__name__, type(f).__name__)
d = {f: "x", frozenset([3]): "y"}
print(d[frozenset([2, 1])], frozenset([frozenset([1])]) == {frozenset([1])})
print(isinstance(f, frozenset), isinstance(f, set), isinstance({1}, frozenset))
for name in ("add", "remove", "discard", "pop", "clear", "update"):
    print(name, hasattr(f, name), hasattr(set(), name))
g = f
g |= {9}
print(f, g, hash(frozenset([1, 2])) == hash(frozenset([2, 1])))
try:
    {set(): 1}
except TypeError as e:
    print(e)
