a = [1]
a.append(a)
print(a, len(a), a[1] is a, a[1][1][0])
d = {}
d["d"] = d
print(d)
