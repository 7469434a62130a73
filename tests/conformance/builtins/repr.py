print(repr("a'b"), repr('a"b'), repr("a'b\"c"), repr("\n\t\\"), repr("é"), repr("\x00\x1f\x7f"), repr(1.0), repr(None), repr([("a",)]))
print(repr(""), repr("\x80"), repr({"a": "b"}), repr(ValueError("x")), repr(ValueError()), repr(True))
