def f(a):
    pass
f(1, 2)
