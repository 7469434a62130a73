s = {x % 3 for x in range(10)}
print(sorted(s), len(s), {c for c in "a"})
print(sorted({(i, j) for i in range(2) for j in range(2)}))
