class A:
    def __repr__(self):
        return "A()"
class B:
    def __str__(self):
        return "b-str"
    def __repr__(self):
        return "b-repr"
print(A(), [A()], str(A()), "%s" % A(), "%r" % A(), "{}".format(A()), f"{A()}")
print(B(), [B()], str(B()), repr(B()), {1: B()}, f"{B()}|{B()!r}")
