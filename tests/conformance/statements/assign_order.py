i = 0
a = [10, 20, 30]
i, a[i] = 2, 99
print(i, a)
i = a[i] = 1
print(i, a)
