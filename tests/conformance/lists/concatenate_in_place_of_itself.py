a = [1, 2]
a += a
print(a)
a *= 0
print(a)
a += a * 3
a.extend(a)
print(a, len(a))
b = [[]] * 2
b *= 2
b[0].append(1)
print(b)
