print(int(), int(3.9), int(-3.9), int("12"), int("-7"), int(" 5 "), int("+3"), int(True), int("1_000"))
print(int("ff", 16), int("0xFF", 16), int("101", 2), int("0b11", 2), int("z", 36), int("0x1f", 0), int("0o17", 8), int("-0b1", 0))
print(int(2 ** 70), int(1e20), int(-0.5), int("123456789012345678901234567890"))
