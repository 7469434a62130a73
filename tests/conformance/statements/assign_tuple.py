a, b = 1, 2
a, b = b, a
print(a, b)
(c, d) = [3, 4]
[e, f] = "xy"
print(c, d, e, f)
g, h = {"k1": 1, "k2": 2}
print(g, h)
i, j, k = range(3)
print(i, j, k)
