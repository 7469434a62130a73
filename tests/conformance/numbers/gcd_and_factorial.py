def gcd(a, b):
    while b:
        a, b = b, a % b
    return a
f = 1
for i in range(1, 31):
    f *= i
print(gcd(2 ** 70, 6 ** 30), f, f // 10 ** 20, gcd(-12, 18))
