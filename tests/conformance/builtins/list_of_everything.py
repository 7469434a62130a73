a = [1, 1.5, "s", None, True, (1,), [2], {"k": 3}, {4}, range(2)]
print(a, len(a), [type(x).__name__ for x in a])
