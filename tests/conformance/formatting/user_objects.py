class A:
    def __str__(self):
        return "str"
    def __repr__(self):
        return "repr"
a = A()
print("%s %r" % (a, a), "{} {!r} {!s}".format(a, a, a), f"{a} {a!r}", "%s" % [a], "{}".format((a,)), "%5s|" % a)
