class A:
    def __init__(self, t):
        self.t = t
    def __bool__(self):
        return self.t
print(bool(A(True)), bool(A(False)), "y" if A(True) else "n", not A(False))
print((A(False) or 5), (A(True) and 6))
