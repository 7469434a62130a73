def f(a, *, b, c=3):
    return a, b, c
print(f(1, b=2), f(1, c=5, b=6))
def g(*args, sep="-"):
    return sep.join(args)
print(g("a", "b"), g("a", "b", sep="+"))
try:
    f(1, 2)
except TypeError:
    print("TypeError")
