def f(a, b, c):
    return [c, b, a]
print(f(*f(1, 2, 3)), f(*"xyz"), [*f(*range(3)), *f(*(7, 8, 9))])
