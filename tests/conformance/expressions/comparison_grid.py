values = [0, 1, True, False, 1.0, 0.5, -1, 2 ** 64, float(2 ** 64), float("inf"), -2 ** 70]
for a in values:
    print([a < b for b in values], [a <= b for b in values], [a == b for b in values])
