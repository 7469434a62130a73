def counter(start):
    n = start

    def step(by):
        nonlocal n
        n += by
        return n
    return step


def compose(f, g):
    return lambda x: f(g(x))


s = counter(1)
double = compose(lambda x: x * 2, lambda x: x + 1)
total = 0
for i in range(500000):
    total += s(i) & 3
    total += double(i)
for i in range(200000):
    total += counter(i)(1)
print(total)
