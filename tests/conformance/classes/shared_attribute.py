class A:
    items = []
    def add(self, x):
        self.items.append(x)
a = A()
b = A()
a.add(1)
b.add(2)
print(a.items, b.items is A.items)
b.items = []
b.add(3)
print(a.items, b.items)
