import functools
print(functools.reduce(lambda a, b: a * b, (2, 3, 4)), functools.reduce(lambda a, b: a * b, [], 1), functools.partial(max, 5)(3))
def deco(f):
    @functools.wraps(f)
    def inner(*a):
        return f(*a)
    return inner
@deco
def named(x):
    return x
print(named(3))
