def f(n):
    try:
        if n == 0:
            raise ValueError("bottom")
        return f(n - 1)
    except ValueError as e:
        if n < 3:
            raise RuntimeError("level %d" % n) if n == 2 else e
        return "level %d: %s" % (n, e)
    except RuntimeError as r:
        return "caught %s at %d" % (r, n)
print(f(0) if False else "start")
for n in (3, 4, 5):
    try:
        print(f(n))
    except Exception as e:
        print(type(e).__name__, e)
