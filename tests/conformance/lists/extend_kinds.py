a = []
a.extend("ab")
a.extend((1, 2))
a.extend(range(2))
a.extend({"k": 1})
a.extend(x for x in [7])
a.extend([])
a += [8]
print(a)
b = [1, 2]
b.extend(b)
print(b)
