# What operators do with shapes: products, strides, broadcasting, padding, searching divisors.
def product(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def strides(shape):
    out = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        out[i] = out[i + 1] * shape[i + 1]
    return tuple(out)


def broadcast(a, b):
    a = [1] * (len(b) - len(a)) + list(a)
    b = [1] * (len(a) - len(b)) + list(b)
    return tuple(max(x, y) for x, y in zip(a, b))


def fused(shape, axis):
    return product(shape[:axis]), shape[axis], product(shape[axis + 1:])


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


total = 0
for n in range(1, 2500):
    shape = (n % 7 + 1, n % 16 + 1, 16, n % 33 + 1, 16)
    total += product(shape) + sum(strides(shape))
    total += len(broadcast(shape[2:], shape))
    for axis in range(-1, len(shape) - 1):
        a, b, c = fused(shape, axis)
        total += (a * b + 15) // 16 * 16 * c
    if all(d % 2 == 0 for d in shape[2:]) or any(d == 3 for d in shape):
        total += 1
    if n % 25 == 0:
        total += len(divisors(n * 4))
print(total)
