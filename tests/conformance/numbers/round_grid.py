for x in [0.5, 1.5, 2.5, -0.5, -1.5, 2.675, 1e15 + 0.5, 123.456, 1e22, -7.05]:
    print(round(x), [round(x, n) for n in (0, 1, 2, 3, -1)])
for n in [5, 15, 25, 149, 150, 151, -15]:
    print([round(n, k) for k in (0, -1, -2, 1)])
