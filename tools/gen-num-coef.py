#!/usr/bin/python3
"""Prints runtime/num/coef.h: the numbers that the elementary functions are computed with; with --tables
runtime/num/fn_table.def, the tables of those of float32.

Polynomials interpolate their function at Chebyshev nodes, computed with 110 decimal digits and rounded to
double at the end; each is followed by the largest error of the polynomial before that rounding."""
import struct
import sys
from decimal import Decimal as D, getcontext
from fractions import Fraction

getcontext().prec = 110


def pi():
    """Machin: pi = 16 atan(1/5) - 4 atan(1/239)."""
    def atan_inv(n):
        total, p, k = D(0), D(1) / n, 0
        while p > D(10) ** -108:
            total += p / (2 * k + 1) * (1 if k % 2 == 0 else -1)
            p, k = p / (n * n), k + 1
        return total
    return 16 * atan_inv(5) - 4 * atan_inv(239)


PI = pi()
LN2 = D(2).ln()


def series(term):
    """Sum of term(0), term(1), ... until a term no longer counts."""
    total, k = D(0), 0
    while True:
        t = term(k)
        total += t
        if k > 2 and abs(t) < D(10) ** -100:
            return total
        k += 1


def power(x, k):
    """x ** k, with 0 ** 0 = 1"""
    return x ** k if k else D(1)


def fact(n):
    f = D(1)
    for i in range(2, n + 1):
        f *= i
    return f


def cos(x):
    return series(lambda k: (-1) ** k * power(x, 2 * k) / fact(2 * k))


def interpolate(f, lo, hi, degree):
    """Coefficients, lowest first, of the polynomial through f at the Chebyshev nodes of [lo, hi]."""
    n = degree + 1
    xs = [(lo + hi) / 2 + (hi - lo) / 2 * cos(PI * (2 * i + 1) / (2 * n)) for i in range(n)]
    table = [f(x) for x in xs]
    for level in range(1, n):   # divided differences
        for i in range(n - 1, level - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (xs[i] - xs[i - level])
    poly = [D(0)] * n
    for i in range(n - 1, -1, -1):   # Newton's form, multiplied out
        poly = [table[i] - poly[0] * xs[i]] + [poly[k - 1] - poly[k] * xs[i] for k in range(1, n)]
    return poly


def value(poly, x):
    total = D(0)
    for c in reversed(poly):
        total = total * x + c
    return total


def error(f, poly, lo, hi):
    points = [lo + (hi - lo) * i / 200 for i in range(201)]
    return max(abs(value(poly, x) - f(x)) for x in points)


def exp_tail(r):
    """(e^r - 1 - r) / r^2"""
    return series(lambda k: power(r, k) / fact(k + 2))


def log_tail(z):
    """(2 atanh(s) - 2s) / s^3 with z = s^2"""
    return series(lambda k: 2 * power(z, k) / (2 * k + 3))


def ln_tail(r):
    """(ln(1 + r) - r) / r^2"""
    return series(lambda k: (-1) ** (k + 1) * power(r, k) / (k + 2))


def sin_tail(z):
    """(sin(r) - r) / r^3 with z = r^2"""
    return series(lambda k: (-1) ** (k + 1) * power(z, k) / fact(2 * k + 3))


def cos_tail(z):
    """(cos(r) - 1) / r^2 with z = r^2"""
    return series(lambda k: (-1) ** (k + 1) * power(z, k) / fact(2 * k + 2))


def bits_of(x, bits):
    """x cut to that many significant bits, as a fraction."""
    x, e = Fraction(x), 0
    while x >= 2:
        x, e = x / 2, e + 1
    while x < 1:
        x, e = x * 2, e - 1
    scale = 2 ** (bits - 1)
    return Fraction(int(x * scale), scale) * Fraction(2) ** e


def define(name, x):
    print('#define %-14s %s' % (name, float(x).hex()))


def polynomial(name, f, lo, hi, degree, what):
    poly = interpolate(f, lo, hi, degree)
    print('\n/* %s, error below %.1e */' % (what, error(f, poly, lo, hi)))
    for i, c in enumerate(poly):
        define('%s%d' % (name, i), c)


def parts(name, x, first, count):
    """x as a sum of doubles, all but the last with few enough bits that small multiples are exact."""
    rest = Fraction(x)
    for i in range(count):
        part = bits_of(rest, first) if i < count - 1 else Fraction(float(rest))
        define('%s_%d' % (name, i + 1), part)
        rest -= part


def bits_of_single(x):
    """The bits of the float32 nearest to x; |x| is normal."""
    x = Fraction(x)
    if x == 0:
        return 0
    near = struct.unpack('<I', struct.pack('<f', float(x)))[0]
    return min((near - 1, near, near + 1), key=lambda b: abs(Fraction(struct.unpack('<f', struct.pack('<I', b))[0]) - x))


def single(x):
    """The float32 nearest to x."""
    return Fraction(struct.unpack('<f', struct.pack('<I', bits_of_single(x)))[0])


def table(name, what, values):
    print('/* %s */' % what)
    words = ['0x%08x' % bits_of_single(v) for v in values]
    lines = ['      ' + ', '.join(words[i:i + 8]) for i in range(0, 32, 8)]
    print('TABLE(%s,\n%s)' % (name, ',\n'.join(lines)))


def decimal(x):
    return D(x.numerator) / D(x.denominator)


# Numbers z are in pieces of equal width in bits, the first of which begins here; the piece of 1 is the 20th.
LN_FIRST, LN_PIECE, LN_ONE = 0x3f30c000, 0x40000, 19


def ln_centers():
    """For each piece the multiple c of 1/64 that keeps c z nearest to 1; c z - 1 has at most 24 bits."""
    of = lambda bits: Fraction(struct.unpack('<f', struct.pack('<I', bits))[0])
    for j in range(32):
        ends = of(LN_FIRST + j * LN_PIECE), of(LN_FIRST + (j + 1) * LN_PIECE - 1)
        yield min((Fraction(n, 64) for n in range(40, 100)), key=lambda c: max(abs(c * e - 1) for e in ends)) if j != LN_ONE \
            else Fraction(1)


def tables():
    print('/* fn_table.def: tables of num/fn.def, as the bits of float32: TABLE(name, 32 words).\n'
          ' * tools/gen-num-coef.py --tables makes this file; do not edit it. */')
    powers = [single(D(2) ** (D(j) / 32)) for j in range(32)]
    margin = D(float.fromhex('0x1.3p-36'))
    table('fn_exp_power', '2^(j / 32), j = 0 to 31', powers)
    table('fn_exp_rest', 'j ln(2) / 32 less the logarithm of that float32, and 0x1.3p-36 more',
          [j * LN2 / 32 - decimal(p).ln() + margin for j, p in enumerate(powers)])
    centers = list(ln_centers())
    exact = [-decimal(c).ln() for c in centers]
    first = [Fraction(round(v * 2 ** 16), 2 ** 16) for v in exact]
    table('fn_ln_center', 'near to 1 / z for z in piece j: a multiple of 1/64', centers)
    table('fn_ln_first', '-ln of it, a multiple of 2^-16', first)
    table('fn_ln_rest', 'what that lacks', [v - decimal(f) for v, f in zip(exact, first)])


def main():
    if '--tables' in sys.argv[1:]:
        tables()
        return
    half_ln2 = LN2 / 2 * D('1.0001')
    quarter_pi = PI / 4 * D('1.0001')
    s = D('0.1716')
    print('/* coef.h: the coefficients of the elementary functions, as exact doubles.\n'
          ' * tools/gen-num-coef.py makes this file; do not edit it. */')
    print('#ifndef TIK_NUM_COEF_H\n#define TIK_NUM_COEF_H\n')
    print('/* ln 2 and pi / 2 in parts: the first ones short, so that k times them is exact */')
    define('LOG2_E', 1 / LN2)
    parts('LN2', LN2, 38, 2)
    define('TWO_BY_PI', 2 / PI)
    define('HALF_PI', PI / 2)
    define('HALF_PI_REST', PI / 2 - decimal(Fraction(float(PI / 2))))
    parts('HALF_PI', PI / 2, 28, 3)
    r2, z2 = quarter_pi ** 2, s ** 2
    polynomial('EXP_', exp_tail, -half_ln2, half_ln2, 11, '(e^r - 1 - r) / r^2, |r| <= ln(2) / 2')
    polynomial('EXPH_', exp_tail, -half_ln2, half_ln2, 5, 'the same for float16')
    most = D('0.021')
    polynomial('LOG_', ln_tail, -most, most, 8, '(ln(1 + r) - r) / r^2, |r| <= 0.021')
    polynomial('LOGH_', log_tail, D(0), z2, 3, '(2 atanh(s) - 2 s) / s^3 of s^2, |s| <= 3 - sqrt(8), for float16')
    print('\n/* ln 2 in parts, the first a multiple of 2^-16; fn_ln_rest in double */')
    define('LN_2_1', Fraction(round(LN2 * 2 ** 16), 2 ** 16))
    define('LN_2_2', LN2 - decimal(Fraction(round(LN2 * 2 ** 16), 2 ** 16)))
    rest = [v - decimal(Fraction(round(v * 2 ** 16), 2 ** 16)) for v in (-decimal(c).ln() for c in ln_centers())]
    print('#define LN_RESTS ' + ', '.join(float(v).hex() for v in rest))
    polynomial('SIN_', sin_tail, D(0), r2, 5, '(sin(r) - r) / r^3 of r^2, |r| <= pi / 4')
    polynomial('SINH_', sin_tail, D(0), r2, 3, 'the same for float16')
    polynomial('COS_', cos_tail, D(0), r2, 6, '(cos(r) - 1) / r^2 of r^2, |r| <= pi / 4')
    polynomial('COSH_', cos_tail, D(0), r2, 4, 'the same for float16')
    print('\n/* 2 / pi = 0.28be60db... in words of 32 bits, the highest first */')
    x = Fraction(2 / PI)
    words = []
    for _ in range(8):
        x *= 2 ** 32
        words.append(int(x))
        x -= int(x)
    print('#define TWO_BY_PI_WORDS \\\n    ' + ', '.join('0x%08x' % w for w in words[:4]) +
          ', \\\n    ' + ', '.join('0x%08x' % w for w in words[4:]))
    print('\n#endif')


if __name__ == '__main__':
    main()
