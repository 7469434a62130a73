a = [[0] * 2] * 3
a[0][0] = 1
print(a)
b = [[0] * 2 for _ in range(3)]
b[0][0] = 1
print(b)
c = b[:]
c[1][1] = 5
c.append(9)
print(b, len(c))
