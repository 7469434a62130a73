print(len(""), len("abc"), len([1, [2, 3]]), len(()), len({"a": 1}), len({1, 1}), len(range(3, 10, 2)))
