for v in [None, False, True, 0, 1, -1, 0.0, -0.0, 0.1, "", "0", [], [0], (), (0,), {}, {0: 0}, set(), {0}, range(0), range(1), 2 ** 70]:
    print(repr(v), bool(v), "T" if v else "F", not v)
