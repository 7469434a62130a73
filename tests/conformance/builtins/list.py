print(list(), list("abc"), list((1, 2)), list({"a": 1, "b": 2}), list(range(3)), list([1]), list({5}), list(x for x in [1]))
a = [1]
b = list(a)
b.append(2)
print(a, b)
