try:
    try:
        raise KeyError("k")
    except KeyError as e:
        raise RuntimeError("wrapped") from e
except RuntimeError as r:
    print(r, type(r.__cause__).__name__)
try:
    raise ValueError("v") from None
except ValueError as e:
    print(e, e.__cause__ is None)
