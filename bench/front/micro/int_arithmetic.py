def search(limit):
    best = 0
    at = None
    for a in range(1, limit):
        for b in range(a, limit):
            size = a * b * 16
            rest = (limit * 4096 - size) % 512
            if rest == 0 and size // 32 > best and size < 248 * 1024:
                best = size // 32
                at = (a, b)
    return best, at


x = 1
for i in range(1500000):
    x = (x * 1103515245 + 12345) & 0x7fffffff
print(search(900), x)
