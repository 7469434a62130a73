from functools import partial
def f(a, b, c=0):
    return a, b, c
p = partial(f, 1)
q = partial(f, c=9)
print(p(2), p(2, 3), q(1, 2), q(1, 2, c=5), partial(p, 7)(c=8))
