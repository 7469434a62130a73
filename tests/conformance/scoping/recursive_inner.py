def f(n):
    def walk(k):
        result.append(k)
        if k:
            walk(k - 1)
    result = []
    walk(n)
    return result
print(f(3), f(1))
