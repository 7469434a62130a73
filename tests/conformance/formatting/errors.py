def kind(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__
print(kind(lambda: "%d" % "a"), kind(lambda: "%s %s" % (1,)), kind(lambda: "%s" % (1, 2)), kind(lambda: "%(a)s" % {}), kind(lambda: "%z" % 1), kind(lambda: "%" % ()))
print(kind(lambda: "{} {}".format(1)), kind(lambda: "{a}".format()), kind(lambda: "{".format()), kind(lambda: "}".format()), kind(lambda: "{:d}".format("s")), kind(lambda: "{:d}".format(1.5)), kind(lambda: "{} {0}".format(1)))
