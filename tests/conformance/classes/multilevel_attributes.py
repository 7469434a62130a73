class A:
    x = "A.x"
    y = "A.y"
class B(A):
    x = "B.x"
class C(B):
    pass
c = C()
print(c.x, c.y)
C.y = "C.y"
c.x = "own"
print(c.x, c.y, C.x, A.y)
del c.x
print(c.x)
