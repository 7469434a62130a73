def f():
    return 1
g = lambda: 2
print(f.__name__, g.__name__)
f.calls = 5
f.calls += 1
print(f.calls, hasattr(f, "nope"))
class A:
    def m(self):
        pass
print(A.m.__name__, A().m.__name__)
