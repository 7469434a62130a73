a = [1, 2, 3, 4, 5]
del a[0], a[-1]
print(a)
del a[1:]
print(a)
d = {"a": 1, "b": 2}
del d["a"]
print(d)
b = list(range(8))
del b[::2]
print(b)
