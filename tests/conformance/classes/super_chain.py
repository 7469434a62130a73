class A:
    def __init__(self, **kw):
        self.log = ["A"]
        self.kw = kw
class B(A):
    def __init__(self, x, **kw):
        super().__init__(x=x, **kw)
        self.log.append("B")
class C(B):
    def __init__(self, *args, **kw):
        super(C, self).__init__(*args, **kw)
        self.log.append("C")
class D(C):
    pass
d = D(1, y=2)
print(d.log, sorted(d.kw.items()))
