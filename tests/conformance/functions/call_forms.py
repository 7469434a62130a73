def f(a, b, c, d=4, *e, g, **h):
    return a, b, c, d, e, g, h
print(f(1, 2, 3, g=7), f(1, 2, 3, 4, 5, 6, g=7, h=8), f(*[1, 2], c=3, **{"g": 7, "x": 0}))
print(f(c=3, b=2, a=1, g=0))
