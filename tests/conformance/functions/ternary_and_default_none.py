def f(x, opt=None):
    opt = [] if opt is None else opt
    opt.append(x)
    return opt
print(f(1), f(2), f(3, [0]))
def g(x=None, y=None):
    x = x or 5
    return x, y if y is not None else 6
print(g(), g(0, 0))
