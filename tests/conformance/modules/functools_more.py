import functools
print(functools.reduce(lambda a,b:a*b,[1,2,3],4))
f=functools.partial(int,base=2)
print((f("101"), f.func, f.keywords, f.args))
def d(f):
    @functools.wraps(f)
    def w(*a):
        "w doc"
        return f(*a)
    return w
@d
def g(x):
    "doc"
    return x
print(g.__name__, g(1), g.__doc__, g.__wrapped__(2))
@functools.lru_cache(maxsize=None)
def f(n):
    print("call",n)
    return n if n<2 else f(n-1)+f(n-2)
print(f(6), f(6))
print(f.cache_info())
@functools.cache
def f(n):
    return n*2
print(f(2))
print(sorted([3,1,2],key=functools.cmp_to_key(lambda a,b:b-a)))
@functools.total_ordering
class A:
    def __init__(s,x): s.x=x
    def __eq__(s,o): return s.x==o.x
    def __lt__(s,o): return s.x<o.x
print(A(1)<=A(2),A(1)>A(2),A(2)>=A(2))
@functools.singledispatch
def f(x): return "o"
@f.register(int)
def _(x): return "int"
print(f(1),f("a"))


@functools.lru_cache(maxsize=2)
def square(n):
    print("square", n)
    return n * n


print([square(n) for n in (1, 2, 1, 3, 1, 2)], square.cache_info())
square.cache_clear()
print(square(1), square.cache_info())


class Op:
    @functools.lru_cache()
    def twice(self, n):
        return 2 * n


print(Op().twice(3), functools.partial(functools.partial(pow, 2), 5)())
try:
    functools.reduce(lambda a, b: a, [])
except TypeError as e:
    print(e)
