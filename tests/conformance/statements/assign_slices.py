a = [0, 1, 2, 3, 4, 5]
a[1:3] = [10, 20, 30]
print(a)
a[:2] = []
print(a)
a[-2:] = ["x"]
print(a)
a[1:1] = [7, 8]
print(a)
a[:] = range(4)
print(a)
a[::2] = ["e", "f"]
print(a)
a[10:] = [9]
print(a)
