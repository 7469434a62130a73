from enum import Enum, unique
@unique
class E(Enum):
    A = "a"
    B = "b"
print(E.A.value, E("b") is E.B, [e.value for e in E], E.A.name, E.B)
try:
    E("zz")
except ValueError:
    print("ValueError")
