print(dict.fromkeys([1, 2]), dict.fromkeys("abca", 0), {}.fromkeys([]), dict.fromkeys(range(3), []))
shared = dict.fromkeys("ab", [])
shared["a"].append(1)
print(shared, list(dict.fromkeys([3, 1, 3, 2, 1])))
