for a, b in [(1, 2), (3, 4)]:
    print(a + b)
for i, (a, b) in enumerate([(1, 2), [3, 4]]):
    print(i, a, b)
for a, *b in [[1, 2, 3], "xyz"]:
    print(a, b)
d = {}
for d["k"] in range(3):
    pass
print(d)
l = [0]
for l[0] in "abc":
    print(l)
