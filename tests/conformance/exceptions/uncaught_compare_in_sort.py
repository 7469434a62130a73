print(sorted([2, 1]))
print(sorted([1, "a"]))
