for v in (5, -7, True, 2 ** 70):
    print(v.real, v.imag, v.numerator, v.denominator, v.bit_length(), v.bit_count(), v.conjugate(), v.as_integer_ratio())
for v in (2.5, -0.0, 1e300, 0.1):
    print(v.real, v.imag, v.conjugate(), v.is_integer(), v.as_integer_ratio())
print(type(True.real).__name__, "{0.real} {0.imag}".format(3))
for v in (float("inf"), float("nan")):
    try:
        v.as_integer_ratio()
    except (OverflowError, ValueError) as e:
        print(type(e).__name__, e)
