def f(*a, **k):
    return len(a) + len(k)
print(f(f(1, 2), f(x=f()), *[f(), f(1)], z=f(*range(3))))
