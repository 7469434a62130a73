def twice(f, x):
    return f(f(x))
table = {"inc": lambda x: x + 1, "dbl": lambda x: x * 2}
print(twice(table["inc"], 1), twice(table["dbl"], 3), twice(str.upper, "a"))
def inc(x):
    return x + 1
same = inc
print(same is inc, same(1), [f(4) for f in (inc, str, float)])
