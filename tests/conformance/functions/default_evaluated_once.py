def value():
    print("evaluated")
    return 7
def f(x=value()):
    return x
print(f(), f(), f(1))
n = 1
def g(x=n):
    return x
n = 2
print(g())
