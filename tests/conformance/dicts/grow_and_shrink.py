d = {}
for i in range(1000):
    d[i * 7] = i
for i in range(0, 1000, 2):
    del d[i * 7]
print(len(d), d[7], 14 in d, list(d)[:3], sum(d.values()))
d["x"] = 1
print(list(d)[-1], d.get(14))
