def text(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__ + ": " + str(e)
for f in [lambda: 1 < "a", lambda: [] <= None, lambda: {} > {}, lambda: "a" >= 1, lambda: range("a"), lambda: ~1.5,
          lambda: [1]["a":], lambda: int("1", 99), lambda: reversed(5), lambda: "{x}".format(y=1), lambda: sorted([1, "a"]),
          lambda: bin(1.5), lambda: getattr(1, "nope"), lambda: [1]["k"], lambda: 5(), lambda: [x for x in 3]]:
    print(text(f))
