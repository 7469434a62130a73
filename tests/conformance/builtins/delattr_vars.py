class A:
    kind = "a"


a = A()
setattr(a, "x", 1)
a.y = 2
print(vars(a), sorted(k for k in vars(A) if k[0] != "_"))
delattr(a, "x")
del a.y
print(vars(a), hasattr(a, "x"), getattr(a, "x", None))
for name in ("x", "kind"):
    try:
        delattr(a, name)
    except AttributeError:
        print("no", name)


def local_vars(p, q=2):
    r = p + q
    return sorted(vars().items())


print(local_vars(1))
