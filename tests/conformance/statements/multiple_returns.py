def f(x):
    if x < 0:
        return "neg"
    for i in range(10):
        if i == x:
            return i, "found"
    return
print(f(-1), f(3), f(50))
