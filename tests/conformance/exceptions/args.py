for e in [ValueError(), ValueError("a"), ValueError("a", 1), RuntimeError({"k": 1}, "text"), KeyError("k"), KeyError(1, 2)]:
    print(e.args, str(e), repr(e))
