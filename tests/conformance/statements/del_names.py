x = 1
del x
try:
    print(x)
except NameError:
    print("gone")
class A:
    pass
a = A()
a.v = 1
del a.v
print(hasattr(a, "v"))
x = 2
print(x)
