print(sum(x * x for x in range(5)), max(len(w) for w in ["a", "bcd"]))
print(any(x > 3 for x in [1, 5]), all(x > 3 for x in [4, 5]), list(x + 1 for x in range(3)))
print(tuple(i for i in range(4) if i != 2), sorted((x for x in [3, 1, 2]), reverse=True))
print(",".join(str(x) for x in range(3)), dict((i, i * i) for i in range(3)))
