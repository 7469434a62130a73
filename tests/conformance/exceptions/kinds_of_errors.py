def kind(f):
    try:
        f()
    except Exception as e:
        return type(e).__name__
    return "none"
d = {}
class A:
    pass
print(kind(lambda: [][0]), kind(lambda: d["k"]), kind(lambda: 1 % 0), kind(lambda: 1.0 // 0), kind(lambda: A().x))
print(kind(lambda: nope), kind(lambda: int("q")), kind(lambda: "a" + 1), kind(lambda: None.x), kind(lambda: 5()))
print(kind(lambda: len(5)), kind(lambda: (1)[0]), kind(lambda: [1, 2].index(9)), kind(lambda: {[]: 1}), kind(lambda: float("x")))
print(kind(lambda: 2.0 ** 5000), kind(lambda: int(float("nan"))), kind(lambda: int(float("inf"))), kind(lambda: max([])), kind(lambda: [].pop()))
print(kind(lambda: set().pop()), kind(lambda: {}.pop(1)), kind(lambda: [].remove(1)), kind(lambda: "a" < 1), kind(lambda: sorted([1, "a"])))
print(kind(lambda: "%d" % "x"), kind(lambda: "%s" % ()), kind(lambda: "{}".format()), kind(lambda: "{x}".format()), kind(lambda: range(0, 1, 0)))
print(kind(lambda: 1 << -1), kind(lambda: 0 ** -1), kind(lambda: "abc".index("z")), kind(lambda: isinstance(1, 1)), kind(lambda: sum(["a"])))
