for r in (range(10), range(1, 10, 3), range(10, 0, -2), range(0), range(2 ** 40, 2 ** 41, 2 ** 38)):
    print(r, len(r), r.start, r.stop, r.step, [r.count(x) for x in (0, 4, 4.0, 10, "a")], r[::-1], r[1:3], list(r[:2]))
    for x in (4, 7.0, 2 ** 40, -1, "x"):
        try:
            print(r.index(x), end=" ")
        except ValueError:
            print("-", end=" ")
    print()
