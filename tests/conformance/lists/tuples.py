t = (1, 2, [3])
t[2].append(4)
print(t, t[0], t[-1], t[:2], len(t), t + (5,), t.index(2), t.count(1), (1,) == (1,), () == ())
print((1, 2) < (1, 3), hash((1, 2)) == hash((1, 2)) if False else "skip", tuple(sorted((3, 1))), max((1, 5), (2, 0)))
