from collections import namedtuple, OrderedDict
T = namedtuple("T", "a b")
t = T(1, b=2)
print(t, t.a + t.b, t._asdict())
o = OrderedDict()
o["z"] = 1
o["a"] = 2
print(list(o.items()))
