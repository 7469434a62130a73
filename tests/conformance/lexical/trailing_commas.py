def f(a, b,):
    return (a, b,)
print(f(1, 2,), [1, 2,], {"a": 1,}, {1,}, (1,))
x, = [5]
print(x,)
