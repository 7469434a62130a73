class A:
    items = [1, 2, 3]
    doubled = [i * 2 for i in items]
print(A.doubled)
x = [1, 2]
x = [x for x in x for x in [x, x * 10]]
print(x)
