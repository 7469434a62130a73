print(sorted([3, 1, 2]), sorted("bca"), sorted((3, 1), reverse=True), sorted({"b": 1, "a": 2}), sorted([]), sorted([2.5, 1, True]))
print(sorted(["bb", "a", "ccc"], key=len, reverse=True), sorted([(1, "b"), (0, "z"), (1, "a")]), sorted([3, -1, 2], key=lambda x: -x), sorted("aB", key=str.lower))
