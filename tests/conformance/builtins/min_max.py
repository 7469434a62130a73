print(min(3, 1), max(3, 1), min([4, 2, 8]), max((4, 2, 8)), min("hello"), max({"a": 1, "b": 0}), min(1, 2.5, -1), max(1, 1.0), max(1.0, 1))
print(min(["bb", "a"], key=len), max([1, -5, 3], key=abs), max([], default=0), min((), default=None), max([[1, 2], [1, 3]]), min(True, 0))
print(max(["aa", "b", "cc"], key=len), min([(1, "b"), (1, "a")]))
