for b in [0, 1, -1, 2, -3, 10, 0.5, -2.0]:
    for e in [0, 1, 2, 3, 10, 63, 64]:
        print(b ** e, end=" ")
    print()
for b in [1, 2, -4, 0.5]:
    print([b ** -e for e in range(1, 5)])
