def f(n):
    scale = 3
    return sum(scale * i for i in range(n) if i != scale)
print(f(5))
print(any(x == y for x in range(3) for y in range(5, 2, -1)))
