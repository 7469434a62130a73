class A:
    def __setattr__(self, name, value):
        print("set", name)
        object.__setattr__(self, name, value)
a = A()
a.x = 1
a.x += 1
print(a.x)
