a = 1
for i in range(1, 3000):
    a = a * i % (2 ** 2000 + 1)
f = [0, 1]
for i in range(20000):
    f = [f[1], (f[0] + f[1]) % 2 ** 4000]
mask = 0
for i in range(300000):
    mask = (mask << 1 | (i & 1)) & (1 << 128) - 1
print(a % 1000003, f[1] % 1000003, mask)
