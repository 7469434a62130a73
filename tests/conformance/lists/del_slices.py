a = list(range(10))
del a[2:4]
print(a)
del a[::3]
print(a)
del a[-1], a[0]
print(a)
del a[:]
print(a)
