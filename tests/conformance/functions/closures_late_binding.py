fs = []
for i in range(3):
    fs.append(lambda: i)
print([f() for f in fs])
gs = [lambda i=i: i for i in range(3)]
print([g() for g in gs])
def make():
    x = 1
    def get():
        return x
    x = 2
    return get
print(make()())
