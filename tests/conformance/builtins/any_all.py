print(any([]), all([]), any([0, 1]), all([1, 0]), any("ab"), all([1, "a", [0]]), any(x > 2 for x in range(4)), all(x for x in ()))
def f(x):
    print("f", x)
    return x
print(any(f(x) for x in [0, 3]), all([f(1), f(2)]))
