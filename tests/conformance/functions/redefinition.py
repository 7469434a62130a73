def f():
    return 1
g = f
def f():
    return 2
print(f(), g())
if True:
    def f():
        return 3
print(f())
