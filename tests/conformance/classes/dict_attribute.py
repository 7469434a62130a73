class A:
    c = 1
    def __init__(self, **kw):
        self.x = 0
        self.__dict__.update(kw)
a = A(x=5, y=6)
print(a.x, a.y, sorted(a.__dict__.items()))
a.__dict__["z"] = 7
print(a.z, "c" in a.__dict__)
