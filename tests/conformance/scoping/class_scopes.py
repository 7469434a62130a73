x = 1
def f():
    x = 2
    class A:
        y = x
        x = 3
        z = x
        def g(self):
            return x
        class B:
            w = x
    return A.z, A().g(), A.B.w
try:
    print(f())
except NameError as e:
    print(type(e).__name__)
class C:
    n = 5
    m = [n for _ in range(2)] if False else [n]
    def k(self, v=n):
        return v
print(C.m, C().k())
