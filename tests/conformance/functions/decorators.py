def loud(f):
    def wrap(*a, **k):
        print("call", f.__name__, a, k)
        return f(*a, **k)
    return wrap
@loud
def add(x, y=1):
    return x + y
print(add(1), add(1, y=5))
def mark(tag):
    print("mark", tag)
    def deco(f):
        print("deco", tag)
        return lambda *a: (tag, f(*a))
    return deco
@mark("outer")
@mark("inner")
def g(x):
    return x
print(g(3))
