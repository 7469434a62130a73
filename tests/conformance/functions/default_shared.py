def f(x, seen=[]):
    seen.append(x)
    return seen
print(f(1), f(2))
print(f(3, []), f(4))
def g(k, d={}):
    d[k] = len(d)
    return d
g("a")
print(g("b"))
