class A:
    pass
def hello(self, x):
    return "hello", x
A.hello = hello
A.const = 7
print(A().hello(1), A().const)
a = A()
a.f = lambda: "plain"
print(a.f())
