class A:
    def __init__(self, x):
        self.x = x
class B(A):
    def __init__(self, x, y):
        A.__init__(self, x)
        self.y = y
class C(B):
    def __init__(self):
        super(C, self).__init__(1, 2)
        self.z = self.x + self.y
c = C()
print(c.x, c.y, c.z)
