# Functions: parameters, closures, scoping, recursion, decorators.
def plain(a, b, c):
    return a, b, c
def dflt(a, b=2, c=3):
    return a, b, c
def star(a, *args, **kwargs):
    return a, args, kwargs
def kwonly(a, *, k, j=5):
    return a, k, j
def mixed(a, b=1, *args, c, d=4, **kw):
    return a, b, args, c, d, kw
def posonly(a, b, /, c, d=9):
    return a, b, c, d
print(plain(1, 2, 3), plain(1, c=3, b=2), plain(c=1, a=2, b=3), dflt(1), dflt(1, c=9), dflt(1, 5), dflt(b=1, a=0))
print(star(1), star(1, 2, 3), star(1, x=2), star(*[1, 2], **{"y": 3}), star(a=1, b=2), kwonly(1, k=2), kwonly(1, k=2, j=3))
print(mixed(1, c=2), mixed(1, 2, 3, 4, c=5, e=6), posonly(1, 2, 3), posonly(1, 2, c=3, d=4), plain(*(1, 2), 3), plain(*[1], **{"b": 2, "c": 3}))
def mutable(x, acc=[]):
    acc.append(x)
    return acc
print(mutable(1), mutable(2))
def counter():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    def get():
        return n
    return inc, get
inc, get = counter()
inc(); inc(5); print(get())
inc2, get2 = counter(); inc2(); print(get(), get2())
funcs = []
for i in range(3):
    funcs.append(lambda: i)
print([f() for f in funcs], [f() for f in [lambda j=j: j for j in range(3)]], [f() for f in [lambda: k for k in range(3)]])
def outer(x):
    def mid(y):
        def inner(z):
            return x + y + z
        return inner
    return mid
print(outer(1)(2)(3))
g = 10
def read_global():
    return g
def set_global():
    global g, new_global
    g = 20
    new_global = "new"
print(read_global()); set_global(); print(read_global(), g, new_global)
def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fact(30), fib(15))
def even(n):
    return True if n == 0 else odd(n - 1)
def odd(n):
    return False if n == 0 else even(n - 1)
print(even(100), odd(7))
def deco(f):
    def wrapper(*args, **kwargs):
        print("call", f.__name__, args, kwargs)
        return f(*args, **kwargs)
    return wrapper
def deco_arg(tag):
    def make(f):
        def wrapper(*args):
            return tag, f(*args)
        return wrapper
    return make
@deco
def add(a, b=1):
    return a + b
@deco_arg("A")
@deco_arg("B")
def two(x):
    return x
print(add(1), add(1, b=5), two(3))
def early(x):
    for i in range(10):
        if i == x:
            return i * 10
    else:
        return "none"
    return "broke"
print(early(3), early(50), (lambda: None)(), (lambda x, *y: (x, y))(1, 2, 3))
def no_return():
    pass
print(no_return())
def shadow(list):
    return list[0]
print(shadow([5]), list((1,)))
x = 1
def uses_later():
    return later
later = 7
print(uses_later())
def comp_scope():
    x = 5
    return [x for x in range(3)], x, [y * x for y in range(3)], {k: x for k in "ab"}
print(comp_scope(), x)
def loc(a, b=2):
    c = 3
    d = locals()
    return sorted(d.items())
print(loc(1))
def walrus(seq):
    return [y for v in seq if (y := v * 2) > 2], y
print(walrus([1, 2, 3]))
def gen_arg(n):
    return sum(v * n for v in range(n))
print(gen_arg(4))
def nested_default():
    base = 5
    def f(a, b=base * 2):
        return a + b
    base = 100
    return f(1)
print(nested_default())
def param_cell(a):
    def f():
        return a
    a = a + 1
    return f
print(param_cell(1)())
def star_cell(*args, **kw):
    return lambda: (args, kw)
print(star_cell(1, k=2)())
print(callable(add), callable(3), callable(lambda: 0), add.__name__, (lambda: 0).__name__)
v = 0
while v < 10:
    v += 1
    if v == 3:
        continue
    if v == 6:
        break
else:
    print("no")
print(v)
while v < 8:
    v += 1
else:
    print("else", v)
for v in []:
    pass
else:
    print("for else")
print(1 < 2 < 3, 1 < 3 < 2, 3 > 2 >= 2 != 1, 0 or "a", 1 and "b", "" or 0 or None, not [], 1 if [] else 2, None is None, 1 is not None)
calls = []
def mark(v):
    calls.append(v)
    return v
print(mark(1) < mark(5) < mark(3) < mark(9), calls)
print([1, 2, 3][mark(0)], (mark(7), mark(8))[1], {mark("k"): mark("v")}, calls)
assert True, "fine"
a = b = c = 3
a += 1; b *= 2; c -= 1; print(a, b, c)
a //= 3; b **= 2; c <<= 3; print(a, b, c)
a |= 6; b %= 5; c >>= 1; print(a, b, c); a ^= 2; b /= 2; c &= 12; print(a, b, c)
n: int = 5
print(n)
def del_test():
    z = 1
    del z
    try:
        return z
    except NameError:
        return "gone"
print(del_test())
import functools, operator
print(functools.reduce(lambda p, q: p * q, [1, 2, 3, 4]), functools.reduce(operator.add, [[1], [2]], []), functools.partial(plain, 1, c=3)(2), operator.mul(3, 4), operator.eq([1], [1]))
from functools import reduce as red
from itertools import permutations, product, combinations
print(red(max, [3, 9, 2]), list(permutations([1, 2, 3])), list(product([1, 2], "ab")), list(combinations("abc", 2)))
for wrong in (lambda: len([1], x=2), lambda: sorted([1], x=2), lambda: math.isclose(1, 1, t=1), lambda: plain(1), lambda: plain(1, 2, 3, 4),
              lambda: plain(1, 2, 3, a=4), lambda: kwonly(1, 2), lambda: posonly(a=1, b=2, c=3), lambda: plain(1, 2, **{"": 3}), lambda: len(*[1], **{"": 3})):
    try:
        print(wrong())
    except (TypeError, NameError) as e:
        print(type(e).__name__)
k = list(range(10))
del k[5:2:-1]; print(k); del k[2:5:-1]; print(k); del k[3:3]; print(k); k[9:2] = [1]; print(k)
