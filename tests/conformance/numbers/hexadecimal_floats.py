for v in (0.0, -0.0, 1.0, -2.5, 0.1, 1e308, 5e-324, 2.2250738585072014e-308, float("inf"), -float("inf"), float("nan")):
    print(v.hex(), float.fromhex(v.hex()) == v)
print(float.fromhex("0x1.8p1"), float.fromhex("-1.8"), float.fromhex("0x10"), float.fromhex("inf"), float.fromhex(" 0x.8p0 "))
for text in ("", "x", "0x1.8p1q"):
    try:
        print(float.fromhex(text))
    except ValueError:
        print("ValueError")
