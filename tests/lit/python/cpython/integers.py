# Integers: signs, sizes, operators.
values = [0, 1, -1, 2, -2, 3, -3, 7, -7, 10, -10, 63, 64, 255, -256, 2**31 - 1, -2**31, 2**53, 2**53 + 1,
          2**63 - 1, -2**63, 2**63, 2**64 - 1, 2**64, -2**64, 2**127, -2**127, 10**38, 3**200, -3**201]
for a in values:
    for b in values:
        print(a, b, a + b, a - b, a * b, a & b, a | b, a ^ b, a < b, a <= b, a == b, a != b, a > b, a >= b)
        if b != 0:
            print(a // b, a % b, divmod(a, b), a / b)
        if 0 <= b < 70:
            print(a << b, a >> b)
        if 0 <= b < 20:
            print(a ** b)
    print(-a, +a, ~a, abs(a), bool(a), not a, float(a), hex(a), bin(a), oct(a), str(a), a.bit_length())
print(True + True, True & False, True | False, True ^ True, True * 3, -True, ~False, True == 1, True < 2)
print(type(True & 1), type(True & True), type(True + 0))
print(0xff, 0o17, 0b101, 1_000_000, 18446744073709551615, 6148914691236517205)
print(int("12"), int("-0x1f", 16), int("1f", 16), int("101", 2), int("0b11", 0), int(" 7 "), int(-3.9), int(3.9), int(True))
print(int("99999999999999999999999"), int("ffffffffffffffffffffffff", 16), int("z", 36))
print(2 ** -1, 2 ** (-24), (-2) ** 3, (-2) ** 2, 0 ** 0, 10 ** 20, pow(2, 10), pow(3, 100, 7), pow(2, -2))
print(1 << 100, (1 << 100) >> 98, -1 >> 200, -5 >> 1, 5 >> 70, (-1) << 70)
print(round(5), round(15, -1), round(25, -1), round(-15, -1), round(1234567, -3), round(2**70, -5))
print({1: "a", True: "b", 1.0: "c"}, {2**64: 1}[2.0**64])
print(5 // 2 * 2 + 5 % 2, -5 // 2 * 2 + -5 % 2, 7 // -2, 7 % -2, -7 // -2, -7 % -2)
print((2**64 - 1) // 3, (2**64 - 1) % 1000, 2**64 // 2**32, -(2**64) // 3, -(2**64) % 3)
print(min(3, 1, 2), max([4, 9, 2]), sum([1, 2, 3], 10), min([5, 3, 8], key=lambda v: -v), max([], default=7))
