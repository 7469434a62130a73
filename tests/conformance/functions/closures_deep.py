def a(x):
    def b(y):
        def c(z):
            return x, y, z
        return c
    return b
print(a(1)(2)(3))
def outer():
    def even(n):
        return True if n == 0 else odd(n - 1)
    def odd(n):
        return False if n == 0 else even(n - 1)
    return even
print(outer()(10), outer()(7))
