class A:
    class Inner:
        x = 5
        def f(self):
            return self.x
    y = Inner.x + 1
    def make(self):
        return self.Inner()
print(A.Inner.x, A.y, A().make().f(), A.Inner().f())
