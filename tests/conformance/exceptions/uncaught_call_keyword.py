def f(a):
    pass
f(1, z=2)
