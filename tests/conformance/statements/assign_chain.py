a = b = c = [1]
b.append(2)
print(a, c, a is c)
x = y = 5
x += 1
print(x, y)
d = {}
i = d["k"] = 7
print(i, d)
