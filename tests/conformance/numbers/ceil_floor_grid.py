import math
for n in range(-7, 8):
    for d in (2, 3, -4):
        print(math.ceil(n / d), math.floor(n / d), n // d, -(-n // d), n % d, int(n / d), end=" ")
    print()
