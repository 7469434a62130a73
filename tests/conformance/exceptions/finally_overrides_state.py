def f():
    x = 1
    try:
        return x
    finally:
        x = 2
print(f())
def g():
    l = []
    try:
        return l
    finally:
        l.append(1)
print(g())
