a = [1, 2, 3]
for x in a:
    if x < 3:
        a.append(x + 10)
    if len(a) > 6:
        break
print(a)
b = [1, 2, 3, 4]
for x in b:
    b.remove(x)
print(b)
