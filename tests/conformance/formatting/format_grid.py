for spec in ["", "d", "5", "<5", ">5", "^5", "=+6", "05", "+", " ", "x", "#x", "b", "o", ",", "e", ".2f", "g", "%", "_d", "*^9"]:
    print(repr(spec), [("{:" + spec + "}").format(v) for v in (0, 7, -42, 12345)])
for spec in ["", ".1f", "8.2f", "<8", "+.3e", "g", ".3", ",.1f", "08.2f", "%", "#.3g"]:
    print(repr(spec), [("{:" + spec + "}").format(v) for v in (0.0, 1.5, -2.25, 12345.678)])
for spec in ["", "5", "<5", ">5", "^5", ".1", "s", "*^7"]:
    print(repr(spec), [("{:" + spec + "}").format(v) for v in ("", "ab", "xyz")])
