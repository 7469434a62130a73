print(1 in [1, 2], 3 in (1, 2), "a" in "cat", "" in "x", "at" in "cat")
print("k" in {"k": 1}, 1 in {"k": 1}, 2 in {1, 2}, 5 in range(10), 5 in range(0, 10, 2))
print(3 not in [1, 2], "x" not in "cat", 1.0 in [1], True in [1], None in [None])
print([1] in [[1]], (1, 2) in [(1, 2)])
