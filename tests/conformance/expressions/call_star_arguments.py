def f(*args, **kw):
    return args, kw
a = [1, 2]
k = {"x": 1}
print(f(*a), f(0, *a, 3), f(*a, *a), f(**k), f(*a, y=2, **k), f(*"ab", **{}))
print(max(*a), "{}-{}".format(*a))
