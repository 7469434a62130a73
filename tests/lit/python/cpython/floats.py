# Floats: text, operators, conversions.
import math
values = [0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 1e15, 1e16, 1e17, 123456789012345680.0, 1e22, 1e23, 1e-4, 1e-5, 1.5e-7, 5e-324,
          2.2250738585072014e-308, 1.7976931348623157e308, 65504.0, 3.4028234663852886e+38, 2.0**-24, 2.0**-44, 1/3, 2/3, 100.0, 1e100, 0.30000000000000004,
          9007199254740992.0, 9007199254740993.0, 4.35, 0.1 + 0.7, 1e-7, 123.456, -1e-10, 5.684341886080801e-14, 5.684341886080802e-14]
for a in values:
    print(a, repr(a), str(a), -a, abs(a), bool(a), a == a, [a], (a,))
    for b in values:
        print(a + b, a - b, a * b, a < b, a == b, a >= b)
        if b != 0:
            print(a / b)
            if abs(b) > 1e-300 and abs(a / b) < 1e15:
                print(a // b, a % b, divmod(a, b))
    if abs(a) < 1e18:
        print(int(a), math.ceil(a), math.floor(a), round(a), round(a, 2), round(a, 1), math.trunc(a))
print(float("inf"), float("-inf"), float("nan"), -float("inf"), float("1e3"), float(" 2.5 "), float("1_0.5"))
print(float("nan") == float("nan"), float("inf") > 10**400 if False else True, 10**30 < float("inf"))
for n in (2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3, 2**54 + 1, 2**54 + 2, 2**54 + 3, 10**38, 3**80, 2**1023, 2**64 - 1, 2**63 + 1024, 2**63 + 1025, -10**25):
    print(float(n), n == float(n), n < float(n), n * 1.0, n + 0.5, n / 3, n / 7, 3 / n, n / (n - 1), n // 2.0)
print(1 / 3, 10 / 2, 7 / 2, -7 / 2, 1 / (2**1074), 1 / 2**1070, (2**70 + 1) / 2**70, (10**400) / (10**399), 10**300 / 10**10)
print((2**1074 - 1) / 2**1075 / 1.0, 3 / 2**1075, 5 / 2**1076, (2**53 + 1) / 2**1100)
print(3.4 * 10**38, -2 ** 127 * 1.9999999, 2 ** 0.5, 4 ** 0.5, 2.0 ** 10, (-8.0) ** 3, 2 ** -1.0)
print(1 == 1.0, 2**53 == 2.0**53, 2**53 + 1 == 2.0**53, 0.1 == 1 / 10, 3 < 3.5 < 4, 10**20 == 1e20)
print(7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2, 7.5 % -2, 0.0 // 1, -0.0 % 3, 5 % 2.5, 1e20 // 3, 6.0 // 2)
print(math.sqrt(2), math.gcd(12, 18), math.gcd(-4, 6), math.gcd(0, 5), math.pow(2, 3), math.pi, math.e, math.inf, -math.inf)
print(math.isclose(1.0, 1.0 + 1e-10), math.isclose(1.0, 1.1), math.isclose(1.0, 1.1, rel_tol=0.2), math.log(math.e), math.log(8, 2), math.log2(8), math.log10(1000))
print(math.ceil(7 / 2), math.floor(-7 / 2), math.ceil(5), math.floor(5), math.ceil(-0.5), math.fabs(-3), math.factorial(25), math.lcm(4, 6), math.prod([2, 3, 4]))
print((1.5).is_integer(), (2.0).is_integer(), math.isnan(float("nan")), math.isinf(-math.inf), math.isfinite(1.0), math.isqrt(99))
print(round(0.5), round(1.5), round(2.5), round(-0.5), round(2.675, 2), round(1e20), round(123.456, -1), round(-1.25, 1))
print(sum([0.1] * 3), sum([1, 2.5]), min(1, 1.0), max(1, 1.0), min(0.5, 1), max(-1.5, -2))
