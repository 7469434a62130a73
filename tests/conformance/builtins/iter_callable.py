print(list(iter([3, 1, 2].pop, 1)), list(iter([1].pop, 1)))
left = [1, 2, 3, 0, 4]
for v in iter(lambda: left.pop(0), 0):
    print(v, end=" ")
print(left)
it = iter(lambda: 5, 5)
print(next(it, "end"), next(it, "end"))
it = iter([1, 2])
print(it.__next__(), it.__next__(), next(it, None), iter(it) is it)
