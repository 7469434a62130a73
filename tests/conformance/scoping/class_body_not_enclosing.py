x = "module"
class A:
    x = "class"
    y = x
    def m(self):
        return x
print(A.x, A.y, A().m())
def f():
    x = "function"
    class B:
        z = x
        def m(self):
            return x
    return B.z, B().m()
print(f())
