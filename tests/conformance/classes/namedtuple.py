from collections import namedtuple
P = namedtuple("P", ["x", "y"])
Q = namedtuple("Q", "a b, c")
p = P(1, 2)
print(p, p.x, p[1], P(y=5, x=4), len(p), p == (1, 2), tuple(p), list(Q(1, 2, 3)))
x, y = p
print(x, y, Q(1, c=3, b=2).c, isinstance(p, tuple), P(*[7, 8]).y, p._replace(x=9), p._fields)
