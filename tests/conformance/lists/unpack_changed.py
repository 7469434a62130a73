# Targets of an unpacking that change the list which is being unpacked: the items are those from before.
a = []
a.append([7, 8])
a.append(5)
a[0:1], b = a
print(a, b)
c = [1, [2, 3], 4]
c[2], (c[0], c[1]), d = c
print(c, d)
e = [[1], 2, 3]
e[0:2], *f = e
print(e, f)
g = [5, 6]
g[0], g[1] = g[1], g[0]
print(g)
