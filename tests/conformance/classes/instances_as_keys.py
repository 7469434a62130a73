class A:
    pass
a = A()
b = A()
d = {a: 1, b: 2}
print(d[a], d[b], a in d, A() in d, len({a, a, b}), a == a, a != b)
