print(list(zip([1, 2], "ab")), list(zip([1, 2, 3], "ab")), list(zip()), list(zip([1])), list(zip(range(3), range(3), range(2))))
a, b = zip(*[(1, "x"), (2, "y")])
print(a, b)
print(dict(zip(["k", "l"], [1, 2])))
