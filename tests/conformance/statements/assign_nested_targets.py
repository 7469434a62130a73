(a, b), c = (1, 2), 3
[x, (y, [z])] = [1, (2, [3])]
print(a, b, c, x, y, z)
(m, n), (o, p) = [[1, 2], "ab"]
print(m, n, o, p)
