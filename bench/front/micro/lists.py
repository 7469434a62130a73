n = 1000000
a = []
for i in range(n):
    a.append(i * 3)
s = 0
for i in range(n):
    s += a[i] - a[-1 - i]
for i in range(n):
    a[i] = a[n - 1 - i]
for v in a:
    s ^= v
print(s, len(a), sum(a), max(a))
