for s in (slice(3), slice(1, 3), slice(None, None, -1), slice(5, 1, -2), slice(-3, None), slice(1, 100, 4)):
    print(s, s.start, s.stop, s.step, s.indices(6), list(range(6))[s], "abcdef"[s], tuple(range(6))[s])
middle = slice(1, -1)
a = list(range(5))
a[middle] = [7]
print(a, a[slice(0, 2)])
del a[slice(1)]
print(a)
