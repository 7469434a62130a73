print(sorted(set([3, 1, 2, 3, 1])), len(set("hello world")), sorted(set(["b", "a", "b"])), list(set([5])), max({1, 9, 3}), sum({1, 2, 3}))
