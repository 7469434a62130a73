def adder(n):
    def add(x):
        return x + n
    return add
a = adder(1)
b = adder(10)
print(a(5), b(5), adder(100)(5))
def pair():
    box = [0]
    def put(v):
        box[0] = v
    def get():
        return box[0]
    return put, get
put, get = pair()
put("v")
print(get())
