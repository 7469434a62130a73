for v in [1, 1.5, "s", [1], (1,), {1: 2}, {1}, None, True, len, range(2), ValueError("x")]:
    print([t.__name__ for t in (int, float, str, list, tuple, dict, set, bool, range, Exception) if isinstance(v, t)])
