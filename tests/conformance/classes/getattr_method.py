class A:
    y = 5
    def __getattr__(self, name):
        return "made " + name
a = A()
a.x = 1
print(a.x, a.y, a.z)
