def f(**kw):
    return kw
def g(a, **kw):
    return a, kw
def h(*args, **kw):
    return args, sorted(kw.items())
print(f(), f(x=1, y=2), g(1, b=2), g(a=1), h(1, 2, z=3, y=4))
d = f(x=1)
d["x"] = 9
print(f(**d), list(f(c=1, b=2, a=3)))
