a = 1, 2, 3
b = 4,
print(a, b, len(b))
def f():
    return 1, [2], "3"
print(f())
for x in 1, 2:
    print(x)
d = {}
d[1, 2] = 3
print(d)
