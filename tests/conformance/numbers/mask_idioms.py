print(2 ** 64 - 1, 2 ** (100 % 64) - 1, (1 << 16) - 1, [2 ** i for i in range(0, 64, 9)], sum(2 ** i for i in range(8)), 0xff & ~0xf, (2 ** 64 - 1) ^ (2 ** 32 - 1))
mask = 0
for i in range(0, 64, 4):
    mask += 2 ** i
print(mask, hex(mask), bin(mask).count("1"))
