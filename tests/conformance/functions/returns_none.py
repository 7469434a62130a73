def f():
    pass
def g():
    return
def h(x):
    if x:
        return x
print(f(), g(), h(0), h(3), f() is None)
