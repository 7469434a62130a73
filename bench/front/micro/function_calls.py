def add(a, b):
    return a + b


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


total = 0
for i in range(1000000):
    total = add(total, i)
print(total, fib(25))
