# Classes.
from collections import namedtuple
from enum import Enum, unique
import copy
class Point:
    count = 0
    names = []
    def __init__(self, x, y=0):
        self.x = x
        self.y = y
        Point.count += 1
    def add(self, other):
        return Point(self.x + other.x, self.y + other.y)
    def __repr__(self):
        return "Point(%s, %s)" % (self.x, self.y)
    def __eq__(self, other):
        return isinstance(other, Point) and self.x == other.x and self.y == other.y
    @staticmethod
    def origin():
        return Point(0, 0)
    @classmethod
    def make(cls, v):
        return cls(v, v)
    @property
    def norm(self):
        return abs(self.x) + abs(self.y)
    @norm.setter
    def norm(self, v):
        self.x = v
        self.y = 0
p = Point(1, 2)
q = Point(3)
print(p, q, p.add(q), Point.origin(), Point.make(4), p.norm, Point.count, p == Point(1, 2), p != q, [p], str(p))
p.norm = 9
p.extra = "e"
print(p, p.extra, p.__dict__, Point.__name__, type(p) is Point, isinstance(p, Point), isinstance(p, object), p.__class__.__name__)
class Base(object):
    tag = "base"
    def __init__(self, a):
        self.a = a
    def who(self):
        return "base " + self.tag
    def call(self):
        return self.who()
class Derived(Base):
    tag = "derived"
    def __init__(self, a, b):
        super(Derived, self).__init__(a)
        self.b = b
    def who(self):
        return "derived/" + super().who()
class Third(Derived):
    def __init__(self, *args, **kwargs):
        Derived.__init__(self, *args, **kwargs)
        self.c = [v for v in range(self.a)]
    def who(self):
        return "third/" + super().who()
d = Derived(1, 2); t = Third(2, b=3)
print(d.call(), t.call(), d.a, d.b, t.c, isinstance(t, Base), issubclass(Third, Base), isinstance(d, Third), Third.tag, hasattr(t, "c"), hasattr(t, "zz"))
print(getattr(t, "a"), getattr(t, "zz", "dflt")); setattr(t, "zz", 5); print(t.zz)
class Config:
    A = 1
    B = A + 1
    LIST = [A, B]
    TABLE = {k: v for k, v in [("a", 1)]}
    class Inner:
        C = 3
    def method(self):
        return self.A, Config.B, self.Inner.C
print(Config.A, Config.B, Config.LIST, Config.TABLE, Config.Inner.C, Config().method())
class Private:
    def __init__(self):
        self.__x = 5
        self._y = 6
    def get(self):
        return self.__x
    def __hidden(self):
        return "h"
    def call(self):
        return self.__hidden()
pr = Private()
print(pr.get(), pr._y, pr._Private__x, pr.call(), sorted(pr.__dict__))
class Dyn:
    def __init__(self, **kw):
        self.__dict__.update(kw)
dy = Dyn(u=1, w=2)
print(dy.u, dy.w)
class Caller:
    def __call__(self, a, b=2):
        return a + b
    def __len__(self):
        return 4
    def __getitem__(self, k):
        return k * 2
    def __setitem__(self, k, v):
        self.last = (k, v)
    def __contains__(self, v):
        return v == 3
    def __bool__(self):
        return False
    def __enter__(self):
        print("enter"); return self
    def __exit__(self, *a):
        print("exit", a[0] is None); return a[0] is not None
    def __iter__(self):
        return iter([1, 2])
    def __add__(self, o):
        return ("add", o)
    def __radd__(self, o):
        return ("radd", o)
    def __lt__(self, o):
        return True
    def __neg__(self):
        return "neg"
c = Caller()
print(c(1), c(1, b=5), len(c), c[4], 3 in c, 4 in c, bool(c), "yes" if c else "no", list(c), c + 1, 1 + c, c < 2, -c)
c[1] = 2; print(c.last)
with c as cc:
    print(cc is c)
with c:
    raise ValueError("swallowed")
with c as c1, c as c2:
    print("two")
class It:
    def __init__(self):
        self.i = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.i += 1
        if self.i > 3:
            raise StopIteration
        return self.i
print(list(It()), [v for v in It()], sum(It()))
Shape = namedtuple("Shape", ["h", "w"])
Other = namedtuple("Other", "a b, c")
s = Shape(2, w=3)
print(s, s.h, s.w, s[0], len(s), list(s), s == (2, 3), s == Shape(2, 3), Other(1, 2, 3), s._replace(h=9), s._asdict(), Shape._fields, isinstance(s, tuple), isinstance(s, Shape))
h, w = s
print(h * w, max(s), [*s], Shape(*[5, 6]), Shape(**{"h": 1, "w": 2}))
class Sub(namedtuple("Sub", "x y")):
    def total(self):
        return self.x + self.y
print(Sub(1, 2).total(), Sub(1, 2).x)
@unique
class Color(Enum):
    RED = 1
    GREEN = 2
    def pretty(self):
        return self.name.lower()
print(Color.RED, Color.RED.value, Color.RED.name, Color(2), Color["GREEN"], Color.RED is Color.RED, Color.RED == Color.GREEN, [m.name for m in Color], len(Color), Color.RED.pretty(), repr(Color.RED), Color.RED in (Color.RED,), {Color.RED: 1}[Color.RED], isinstance(Color.RED, Color))
orig = {"a": [1, 2], "b": (3, [4])}
sh = copy.copy(orig); dp = copy.deepcopy(orig)
orig["a"].append(9); orig["b"][1].append(8)
print(sh, dp, copy.deepcopy([1, [2]]), copy.deepcopy((1, [2])))
cyc = [1]; cyc.append(cyc); cyc2 = copy.deepcopy(cyc); print(cyc2[1] is cyc2, len(cyc2))
class Attr:
    def __setattr__(self, k, v):
        object.__setattr__(self, k, v * 2)
    def __getattr__(self, k):
        return "missing " + k
at = Attr(); at.v = 5; print(at.v, at.nope)
def local_class(n):
    class L:
        k = n
        def get(self):
            return n + self.k
    return L
print(local_class(3)().get(), local_class(4).k)
m = p.add
print(m(Point(1, 1)), Point.add(p, q), list(map(p.add, [q])), type(5), type("s"), type(None), type([]), type(5) == int, type(1.0) is float, int, str)
print(isinstance(5, int), isinstance(True, int), isinstance(5, (str, int)), isinstance("a", str), isinstance(1.0, int), isinstance([], (list, tuple)), isinstance(None, type(None)))
x = "global"
class Scope:
    x = "class"
    def f(self):
        return x
    y = [x for _ in range(1)]
print(Scope().f(), Scope.y)
