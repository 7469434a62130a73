x: int = 5
y: str
def f(a: int, b: "text" = 3) -> int:
    z: float = a + b
    return z
print(x, f(1))
class A:
    v: int = 7
    w: str
print(A.v, hasattr(A, "w"))
