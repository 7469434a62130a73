x = "outer"
a = [x for x in range(3)]
print(x, a)
b = [[x for x in range(y)] for y in range(3)]
print(x, b)
def f():
    n = 10
    return [n + i for i in range(3)], [[n * i + j for j in range(2)] for i in range(2)]
print(f())
fs = [lambda: i for i in range(3)]
print([g() for g in fs])
