def f(*args):
    return args
def g(a, *rest):
    return a, rest
def h(a, b=2, *rest):
    return a, b, rest
print(f(), f(1), f(1, 2), g(1), g(1, 2, 3), h(1), h(1, 5, 6))
print(type(f()).__name__, f(*[1, 2], *(3,)))
