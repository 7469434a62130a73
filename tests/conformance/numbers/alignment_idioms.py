def ceil_div(a, b):
    return (a + b - 1) // b
def align(a, b):
    return ceil_div(a, b) * b
print([ceil_div(n, 16) for n in (0, 1, 15, 16, 17, 33)], [align(n, 32) for n in (0, 1, 31, 32, 33)], -(-7 // 2), (7 + 1) // 2 * 2, 100 // 32 * 32 + 100 % 32)
