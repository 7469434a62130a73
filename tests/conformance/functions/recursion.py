def fact(n):
    return 1 if n < 2 else n * fact(n - 1)
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
def flat(x):
    return [x] if not isinstance(x, list) else [z for y in x for z in flat(y)]
print(fact(25), fib(15), flat([1, [2, [3, [4]], 5]]))
