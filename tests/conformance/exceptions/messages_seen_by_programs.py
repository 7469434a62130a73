def text(f):
    try:
        f()
    except Exception as e:
        return type(e).__name__ + ": " + str(e)
d = {"a": 1}
class Thing:
    pass
for f in [lambda: [1][5], lambda: (1,)[5], lambda: "abc"[5], lambda: d["zz"], lambda: d[3], lambda: int(float("nan")),
          lambda: float("one"), lambda: Thing().missing, lambda: None.x, lambda: nothing, lambda: len(5), lambda: {[]: 1},
          lambda: "a" + 1, lambda: [1] + (2,), lambda: (1,) + [2], lambda: [].remove(1), lambda: "abc".index("z"),
          lambda: "a".split(""), lambda: [][::0], lambda: range(1, 2, 0), lambda: next(iter([])), lambda: set().pop()]:
    print(text(f))
