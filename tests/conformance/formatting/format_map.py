print("{a} {b[0]} {c.real}".format_map({"a": 1, "b": [2], "c": 3}), "{x:>{w}}".format_map({"x": 1, "w": 4}))


class Money:
    def __init__(self, n):
        self.n = n

    def __format__(self, spec):
        return "<%d|%s>" % (self.n, spec)


print("{:abc} {}".format(Money(3), Money(4)), f"{Money(5):x>9}", format(Money(6), "z"))
try:
    "{y}".format_map({"x": 1})
except KeyError as e:
    print(e)
