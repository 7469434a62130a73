class A:
    __n = 1
    def __init__(self):
        self.__v = 5
    def __secret(self):
        return self.__v + A.__n
    def show(self):
        return self.__secret()
class B(A):
    def __init__(self):
        A.__init__(self)
        self.__v = 9
    def both(self):
        return self.__v, self.show()
b = B()
print(b.both(), b._A__v, b._B__v, A._A__n, hasattr(b, "__v"))
