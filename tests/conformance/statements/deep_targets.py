class A:
    pass
a = A()
a.x, (a.y, *a.z), b = 1, (2, 3, 4), [5]
d = {}
[d["p"], d["q"]], l = "xy", [0, 0, 0]
l[0], l[1:] = 9, [8, 7, 6]
print(a.x, a.y, a.z, b, d, l)
for d["k"], l[0] in [(1, 2), (3, 4)]:
    print(d["k"], l[0])
print([x for x, (y, *z) in [(1, (2, 3)), (4, "abc")] if z])
