def f(x, items):
    x += 1
    items.append(x)
    items = [0]
    return x
x = 1
items = []
print(f(x, items), x, items)
