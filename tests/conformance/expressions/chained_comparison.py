print(1 < 2 < 3, 1 < 3 < 2, 3 > 2 >= 2 != 5, 1 == 1 == 1)
def f(x):
    print("f", x)
    return x
print(f(1) < f(5) < f(3) < f(9))
print(f(1) < f(2) < f(3))
print(1 < 2 in [2], 1 in [1] == True)
