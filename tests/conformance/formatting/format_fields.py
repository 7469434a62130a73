print("{} {}".format(1, "a"), "{0} {1} {0}".format("x", "y"), "{a} {b}".format(a=1, b=2), "{} {k}".format(5, k=6), "{{}} {{{}}}".format(7))
print("{0[1]} {1[k]}".format([1, 2], {"k": 3}), "{!r} {!s}".format("q", "q"), "{}".format([1, "a"]), "{}{}".format("", None))
