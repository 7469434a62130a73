def f(x):
    print(x, end=" ")
    return x
print(f(1) + f(2) * f(3))
print([f(4), f(5)], {f(6): f(7)}, (f(8), f(9)))
d = {}
d[f(1)] = f(2)
print(f(3) if f(0) else f(4))
def g(*a, **k):
    return a, k
print(g(f(1), f(2), k=f(3)))
x = [0, 0]
x[f(0)], x[f(1)] = f(7), f(8)
print(x)
