class A:
    @staticmethod
    def helper(x):
        return x + 1
    @classmethod
    def build(cls, x):
        a = cls()
        a.v = cls.helper(x)
        return a
    def again(self):
        return self.helper(self.v) + A.helper(1)
print(A.build(1).v, A.build(1).again())
