rows = [("b", 2), ("a", 1), ("c", 2), ("d", 1), ("e", 2)]
print(sorted(rows, key=lambda r: r[1]))
print(sorted(rows, key=lambda r: r[1], reverse=True))
rows.sort(key=lambda r: -r[1])
print(rows)
words = ["B", "a", "A", "b"] * 3
print(sorted(words, key=str.lower))
print(sorted(range(40), key=lambda x: x % 3))
