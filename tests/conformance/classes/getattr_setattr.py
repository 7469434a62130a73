class A:
    x = 1
a = A()
setattr(a, "y", 2)
print(getattr(a, "x"), getattr(a, "y"), getattr(a, "z", "none"), hasattr(a, "y"), hasattr(a, "z"))
for i in range(3):
    setattr(a, "f%d" % i, i * i)
print(a.f2, sum(getattr(a, "f%d" % i) for i in range(3)))
try:
    getattr(a, "zz")
except AttributeError:
    print("AttributeError")
