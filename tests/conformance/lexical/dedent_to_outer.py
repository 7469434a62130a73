def f(n):
    if n:
        for i in range(n):
            if i == 1:
                return "one"
    return "none"
print(f(0), f(1), f(2))
