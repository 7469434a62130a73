class A:
    __slots__ = ("x",)
    def __init__(self):
        self.x = 1
print(A().x)
