def f(a, b=2, c=3):
    return a, b, c
print(f(1), f(1, 5), f(1, c=9), f(c=1, a=2), f(1, 2, 3), f(b=0, a=1))
def g(x=1 + 1, y=[len("abc")]):
    return x, y
print(g(), g(5))
