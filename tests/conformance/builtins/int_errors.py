for t in ["", " ", "1.5", "abc", "1 2", "--1", "0x10", "_1", "1__0"]:
    try:
        print(int(t))
    except ValueError as e:
        print("ValueError", repr(t))
for f in [lambda: int("8", 8), lambda: int("2", 2), lambda: int([]), lambda: int(None), lambda: int("1", 40), lambda: int(1.5, 2)]:
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__)
