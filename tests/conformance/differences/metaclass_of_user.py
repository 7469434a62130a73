# Metaclasses other than ABCMeta: no operator uses one.
class M(type):
    pass
class A(metaclass=M):
    pass
print("made")
#| uncaught [not-supported] a class derived from the built-in type 'type' is not evaluated
