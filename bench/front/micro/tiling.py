def tilings(rows, cols, capacity):
    found = []
    for r in range(1, rows + 1):
        if rows % r:
            continue
        for c in range(16, cols + 1, 16):
            need = (r * c * 2 + 31) // 32 * 32 * 3
            if need <= capacity and cols % c == 0:
                found.append((r * c, -c, r))
    return found


best = None
for rows in range(1, 400):
    got = tilings(rows, 4096, 248 * 1024)
    got.sort()
    if got:
        best = max(best, got[-1]) if best else got[-1]
print(best)
