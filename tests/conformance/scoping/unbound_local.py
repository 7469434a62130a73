x = 1
def f():
    try:
        print(x)
    except UnboundLocalError as e:
        print("UnboundLocalError")
    x = 2
    print(x)
f()
def g(flag):
    if flag:
        y = 1
    try:
        return y
    except NameError:
        return "unbound"
print(g(True), g(False))
