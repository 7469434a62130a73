class A:
    pass
a = A()
a.b = A()
a.b.c = [A()]
a.b.c[0].d = "deep"
print(a.b.c[0].d, a.b.c[0].d.upper().lower()[1:3])
