print(float(), float(3), float("1.5"), float(" -2e3 "), float("inf"), float("-inf"), float("nan"), float("Infinity"), float("+1"))
print(float(True), float(2 ** 60), float("1_0.5"), float(".5"), float("5."), float("1e400"), float("-0"))
for t in ["", "x", "1.5.2", "1e", "0x1"]:
    try:
        print(float(t))
    except ValueError:
        print("ValueError", repr(t))
