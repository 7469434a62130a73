class Box:
    def __init__(self, items):
        self.items = items
    def __len__(self):
        return len(self.items)
    def __getitem__(self, i):
        return self.items[i]
    def __setitem__(self, i, v):
        self.items[i] = v
    def __contains__(self, x):
        return x in self.items
b = Box([1, 2, 3])
b[0] = 10
print(len(b), b[0], b[-1], 10 in b, 5 in b, bool(b), bool(Box([])))
