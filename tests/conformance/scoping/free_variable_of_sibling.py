def f():
    def g():
        return later
    later = "set later"
    return g()
print(f())
def h():
    def g():
        return never
    try:
        return g()
    except NameError:
        return "NameError"
    never = 1
print(h())
