errors = [ValueError("a"), KeyError("b")]
for e in errors:
    try:
        raise e
    except Exception as x:
        print(x is e, type(x).__name__)
e = ValueError("kept")
print(isinstance(e, ValueError), e.args[0], str(e) == "kept", ValueError("a") == ValueError("a"))
