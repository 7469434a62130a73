x = 12345
a = []
for i in range(300000):
    x = (x * 1103515245 + 12345) & 0x7fffffff
    a.append(x)
b = sorted(a)
c = sorted(a, key=lambda v: -v)
d = sorted([(v & 255, v) for v in a])
e = sorted([str(v) for v in a])
a.sort(reverse=True)
print(b[0], c[0], d[0], e[0], a[0])
