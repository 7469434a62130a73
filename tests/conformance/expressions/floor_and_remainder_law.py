for a in [-9, -8, -1, 0, 1, 8, 9, 2 ** 70, -2 ** 70 + 1]:
    for b in [-4, -3, 3, 4, 2 ** 66]:
        q = a // b
        r = a % b
        assert q * b + r == a
        assert divmod(a, b) == (q, r)
        print(q, r, end=";")
    print()
