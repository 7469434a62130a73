class A:
    def name(self):
        return "A"
    def hello(self):
        return "hello " + self.name()
class B(A):
    def name(self):
        return "B"
class C(B):
    pass
print(A().hello(), B().hello(), C().hello())
print(isinstance(C(), A), issubclass(C, A), issubclass(A, B), issubclass(A, A))
