values = [-7, -1, 1, 3, 2.5, -0.5, True, 2 ** 65]
for a in values:
    for b in values:
        print(a + b, a - b, a * b, a / b, a // b, a % b)
