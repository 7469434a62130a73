def f(a, b):
    return [x + b for x in a], {x: b for x in a}, [(x, y) for x in a for y in range(b)]
print(f([1, 2], 2))
def g():
    k = 1
    fs = [lambda x: x + k for _ in range(2)]
    k = 100
    return [h(1) for h in fs]
print(g())
