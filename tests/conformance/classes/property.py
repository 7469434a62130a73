class A:
    def __init__(self):
        self._v = 1
    @property
    def v(self):
        print("get")
        return self._v
    @v.setter
    def v(self, x):
        print("set", x)
        self._v = x
    @property
    def twice(self):
        return self._v * 2
a = A()
a.v = 5
print(a.v, a.twice)
a.v += 1
print(a._v)
try:
    a.twice = 3
except AttributeError:
    print("read only")
