class Counter:
    def __init__(self, step):
        self.step = step
        self.n = 0

    def add(self, by):
        self.n += by * self.step
        return self

    def get(self):
        return self.n


c = Counter(3)
total = 0
for i in range(700000):
    c.add(i)
    total ^= c.get()
print(total)
