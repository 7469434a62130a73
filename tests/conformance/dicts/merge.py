a = {"x": 1}
b = {"y": 2, "x": 3}
print(a | b, {**a, **b}, {**b, **a})
a |= b
print(a)
