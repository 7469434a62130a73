# Taking entries off either end costs as much as putting them in.
d = {}
for i in range(30000):
    d[i] = -i
total = 0
while len(d) > 10:
    total += d.popitem()[1]
    first = next(iter(d))
    total += first
    del d[first]
print(total, d)
s = set(range(30000))
n = 0
while s:
    n += s.pop()
print(n, s)
