ops = {"add": lambda a, b: a + b, "neg": lambda a: -a, "type": int}
print(ops["add"](1, 2), ops["neg"](5), ops["type"]("7"), ops.get("nope", lambda: "default")())
