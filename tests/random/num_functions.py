#!/usr/bin/python3
"""Elementary functions of the numeric library against references of higher precision.

float16: all 65,536 arguments, every result must be the exact value rounded once. float32: a million
arguments per function (all exponents, subnormals, neighbours of multiples of pi/2, special values), the
error must be at most MAX_ULP. Every level of the vector unit that the processor has gives the same bits.

The reference is the C library's 80-bit arithmetic; where that is too close to the middle of two neighbours
to decide, decimal arithmetic with 90 digits.

The functions of U5=fast: the bits of the numpy model, which takes the same steps, on the same arguments, and errors
below 2 units of the last place."""
import decimal
import os
import subprocess
import sys

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from models.vector_model import numbers  # noqa
from paths import BUILD  # noqa

D = decimal.Decimal
LD = np.longdouble
TOOL = os.path.join(BUILD, 'tools', 'numrun')
MAX_ULP = LD('0.50000004')
EPS = LD(2) ** -60   # relative error that the 80-bit functions stay well below
FORMATS = {'float16': (np.uint16, np.float16, 11, -14, 15, 0x7e00),
           'float32': (np.uint32, np.float32, 24, -126, 127, 0x7fc00000)}
decimal.getcontext().prec = 90
decimal.getcontext().Emin, decimal.getcontext().Emax = -999999, 999999


def pi():
    """Gauss and Legendre."""
    a, b, t, p = D(1), 1 / D(2).sqrt(), D(1) / 4, D(1)
    for _ in range(8):
        a, b, old = (a + b) / 2, (a * b).sqrt(), a
        t -= p * (old - a) ** 2
        p *= 2
    return (a + b) ** 2 / (4 * t)


def sin_cos(x, quarter):
    """sin(x + quarter * pi / 2): the argument modulo 2 pi, then the series."""
    two_pi = 2 * pi()
    x = (x + quarter * two_pi / 4) % two_pi
    total = term = x
    k = 1
    while abs(term) > D(10) ** -88:
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


EXACT = {'exp': lambda x: x.exp(), 'expm1': lambda x: x.exp() - 1, 'ln': lambda x: x.ln(),
         'sqrt': lambda x: x.sqrt(), 'rec': lambda x: 1 / x, 'rsqrt': lambda x: 1 / x.sqrt(),
         'sin': lambda x: sin_cos(x, 0), 'cos': lambda x: sin_cos(x, 1)}
CLOSE = {'exp': np.exp, 'expm1': np.expm1, 'ln': np.log, 'sqrt': np.sqrt, 'rec': lambda x: 1 / x,
         'rsqrt': lambda x: 1 / np.sqrt(x), 'sin': np.sin, 'cos': np.cos}

# What the manual says of special arguments: (argument, result), 'nan' for the canonical NaN.
SPECIAL = {
    'exp': [('-inf', 0.0), ('inf', 'inf'), (0.0, 1.0), (-0.0, 1.0)],
    'expm1': [('-inf', -1.0), ('inf', 'inf'), (0.0, 0.0), (-0.0, -0.0)],
    'ln': [(0.0, '-inf'), (-0.0, '-inf'), (-1.0, 'nan'), ('-inf', 'nan'), ('inf', 'inf'), (1.0, 0.0)],
    'sqrt': [(0.0, 0.0), (-0.0, -0.0), (-1.0, 'nan'), ('-inf', 'nan'), ('inf', 'inf'), (4.0, 2.0)],
    'rec': [(0.0, 'inf'), (-0.0, '-inf'), ('inf', 0.0), ('-inf', -0.0), (-2.0, -0.5)],
    'rsqrt': [(0.0, 'inf'), (-0.0, '-inf'), (-1.0, 'nan'), ('-inf', 'nan'), ('inf', 0.0), (4.0, 0.5)],
    'sin': [(0.0, 0.0), (-0.0, -0.0), ('inf', 'nan'), ('-inf', 'nan')],
    'cos': [(0.0, 1.0), (-0.0, 1.0), ('inf', 'nan'), ('-inf', 'nan')]}


# Arguments whose results are nearest to the middle of two float32, as tests/long/functions.c prints them.
HARDEST = {
    'exp': '377eff81 39c6be5b 38e69cc1 383a3ef1 3d1a274e 40315b33 4001b249 39e5bb1d 36fdffc1 4288942b 367bffe1 35f7fff1 356ffff9 34dffffd 343fffff 33800000'
           ' 3fe67199 4034d02b 40dd70cb 3f5bc24c 408b904b 40a470e2 3fa1d683 c16912cd bbf0edf1 c2b2e798 bae0e25c 337fffff bc2a461a c0781533',
    'rec': '00ffffff 017fffff 01ffffff 027fffff 02ffffff 0bffffff 0c7fffff 3f7fffff 3fffffff bfffffff 7e7fffff 7effffff 7f7fffff',
    'ln': '65d890d3 4c5d65a5 4d604ebe 41178feb 1f116ab8 66a8c860 3c413d3a 6f31a8ec 38dcbe38 4665a9a6 5ee8984e 3bf86ef0 79e7ec37 0dc8bba4 '
          '2c4c24b7 111c87f8 1a8446cb 464d5b2b 66abbd63 2e492984 4e85f412 29fd22f8 28e3fa26 29e6126b 3f72b6b5',
    'rsqrt': '3f3a18e3 403a18e3 3f09f038 4009f038 3f7ffffe 407ffffe 3fba2a39 40ba2a39 3fd2208f 40d2208f 3fed3230 40ed3230',
    'sin': '46199998 c6199998 4371ade3 3ef3830f 45a8abb3 3dcf5597 4967cb9b 4aa5a796 42d44528 4a987933 3d0650ea 3a1285ff 401f2100 497d25c7',
    'cos': '5f18b878 df18b878 6115cb11 e115cb11 3c107fe6 424790ce 3a544395 4a01dca4 42378db8 4986afee 47a0e238 46f85a22 3a0f1bbd'}


def round_to(v, fmt):
    """80-bit numbers rounded once to nearest even, as 80-bit numbers."""
    _, _, p, emin, emax, _ = fmt
    with np.errstate(all='ignore'):
        _, e = np.frexp(v)
        quantum = np.ldexp(LD(1), np.maximum(e - 1, emin) - (p - 1))
        r = np.rint(v / quantum) * quantum
        r = np.where(np.abs(r) >= LD(2) ** (emax + 1), np.copysign(LD('inf'), v), r)
    return np.where(np.isfinite(v) & (v != 0), r, v)


def round_decimal(d, fmt):
    """A decimal number rounded once to nearest even, as a decimal number; None: overflow."""
    _, _, p, emin, emax, _ = fmt
    e = emin
    while D(2) ** (e + 1) <= abs(d):
        e += 1
    quantum = D(2) ** (e - (p - 1))
    r = (d / quantum).to_integral_value(decimal.ROUND_HALF_EVEN) * quantum
    return None if abs(r) >= D(2) ** (emax + 1) else r


def reference(name, bits, fmt):
    """Exact results rounded once, as bits, and the values before that."""
    uint, flt, _, _, _, nan = fmt
    with np.errstate(all='ignore'):
        x = bits.view(flt).astype(LD)
        v = CLOSE[name](x)
        lo, hi = round_to(v * (1 - EPS), fmt), round_to(v * (1 + EPS), fmt)
        r = round_to(v, fmt).astype(flt).view(uint)
    r[np.isnan(v)] = nan
    undecided = np.flatnonzero((lo != hi) & np.isfinite(v))
    for i in undecided:
        d = round_decimal(EXACT[name](D(float(x[i]))), fmt)
        r[i] = flt(np.copysign(np.inf, v[i]) if d is None else float(d)).view(uint)
    return r, v


def arguments(name, uint, flt):
    """Bits of a million float32 arguments."""
    rng = np.random.default_rng(1)
    every = np.arange(512, dtype=np.uint64).repeat(1024) << 23 | \
        rng.integers(0, 1 << 23, 512 * 1024, dtype=np.uint64)
    low, high = {'exp': (-104, 89), 'ln': (0.5, 2)}.get(name, (-10, 10))
    usual = rng.uniform(low, high, 1 << 18).astype(np.float32)
    k = np.concatenate([rng.integers(0, 1 << 26, 1 << 16), np.arange(1 << 16)])
    turns = (k * (np.pi / 2)).astype(np.float32).view(np.uint32)
    hard = np.array([16367173.0 * 2.0 ** 72, 2.0 ** 25, 33554430.0, 2.0 ** 20, 2.0 ** 127, np.finfo(np.float32).max], dtype=np.float32)
    edges = np.array([0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000,
                      0x7fffffff, 0x3f800000, 0x3f7fffff, 0x3f800001, 0x4bffffff, 0x4c000000, 0x4c000001,
                      0x42b17217, 0x42b17218, 0x42b17219, 0x42cff1b4, 0x42cff1b5, 0x42cff1b6], dtype=np.uint32)
    edges = np.concatenate([edges, edges | np.uint32(1 << 31)])
    listed = np.array([int(h, 16) for h in HARDEST.get(name, '').split()], dtype=np.uint32)
    return np.concatenate([every.astype(uint), listed, usual.view(uint), turns - 1, turns, turns + 1,
                           hard.view(uint), edges])


def run(level, name, type_name, bits):
    """Results of the library, or None when there is no such level on this processor."""
    words = ['fast', level, name, 'float32'] if type_name == 'fast' else ['fn', level, name, type_name]
    p = subprocess.run([TOOL, *words], input=bits.tobytes(), capture_output=True)
    if p.returncode == 3:
        return None
    if p.returncode != 0:
        sys.exit('numrun %s %s %s: exit code %d: %s' % (level, name, type_name, p.returncode, p.stderr))
    return np.frombuffer(p.stdout, dtype=bits.dtype)


class Tally:
    passed = failed = 0

    def check(self, ok, what):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok:
            print('FAILED: ' + what)


def worst(got, v, fmt):
    """Largest error in units of the last place where result and value are finite, and its place."""
    _, flt, p, emin, emax, _ = fmt
    with np.errstate(all='ignore'):
        g = got.view(flt).astype(LD)
        _, e = np.frexp(v)
        ulp = np.ldexp(LD(1), np.maximum(e - 1, emin) - (p - 1))
        err = np.abs(g - v) / ulp
        largest = LD(2) ** (emax + 1) - LD(2) ** (emax - p + 1)
        over = np.abs(v) >= largest + LD(2) ** (emax - p)
    err[over & np.isinf(g) & (np.sign(g) == np.sign(v))] = 0
    err[(v == g) | (np.isnan(v) & np.isnan(g))] = 0
    err[np.isnan(err)] = np.inf
    i = int(np.argmax(err))
    return err[i], i


def check_levels(t, name, type_name, bits, got):
    for level in ('avx2', 'avx512'):
        other = run(level, name, type_name, bits)
        if other is not None:
            n = int(np.count_nonzero(other != got))
            t.check(n == 0, '%s %s: %s differs from base in %d results' % (name, type_name, level, n))
    short = np.concatenate([run('base', name, type_name, bits[i:i + 1]) for i in range(7)])
    t.check(np.array_equal(short, got[:7]), '%s %s: single elements differ' % (name, type_name))


def check_special(t, name, type_name, fmt):
    uint, flt, _, _, _, nan = fmt
    x = np.array([a for a, _ in SPECIAL[name]] + ['nan'], dtype=flt)
    want = [nan if r == 'nan' else int(flt(r).view(uint)) for _, r in SPECIAL[name]] + [nan]
    got = run('base', name, type_name, x)
    for a, g, w in zip(x, got.view(uint), want):
        t.check(g == w, '%s %s(%s): %x, not %x' % (type_name, name, a, g, w))


def check_f16(t, name):
    fmt = FORMATS['float16']
    bits = np.arange(65536, dtype=np.uint16)
    got = run('base', name, 'float16', bits)
    want, _ = reference(name, bits, fmt)
    bad = np.flatnonzero(got != want)
    shown = ', '.join('%04x: %04x, not %04x' % (i, got[i], want[i]) for i in bad[:4])
    t.check(len(bad) == 0, '%s float16: %d wrong: %s' % (name, len(bad), shown))
    check_levels(t, name, 'float16', bits, got)
    check_special(t, name, 'float16', fmt)


def check_f32(t, name):
    fmt = FORMATS['float32']
    bits = arguments(name, np.uint32, np.float32)
    got = run('base', name, 'float32', bits)
    want, v = reference(name, bits, fmt)
    err, i = worst(got, v, fmt)
    t.check(err <= MAX_ULP, '%s float32: error of %.9f units at %08x' % (name, err, bits[i]))
    bad = np.flatnonzero(got != want)
    t.check(len(bad) == 0,
            '%s float32: %d results not correctly rounded, %s' % (name, len(bad), bits[bad[:4]]))
    nan = np.isnan(got.view(np.float32))
    t.check(np.all(got[nan] == fmt[5]), '%s float32: a NaN is not canonical' % name)
    check_levels(t, name, 'float32', bits, got)
    check_special(t, name, 'float32', fmt)
    return err, len(bad)


def check_fast(t, name):
    fmt = FORMATS['float32']
    bits = arguments(name, np.uint32, np.float32)
    got = run('base', name, 'fast', bits)
    usual, v = reference(name, bits, fmt)
    with np.errstate(all='ignore'):
        want = numbers.fast(name, bits, usual)
    bad = np.flatnonzero(got != want)
    t.check(len(bad) == 0, '%s fast: %d results are not those of the model, %s' % (name, len(bad), bits[bad[:4]]))
    err, i = worst(got, v, fmt)
    t.check(err < 2, '%s fast: error of %.4f units at %08x' % (name, err, bits[i]))
    t.check(np.any(got != usual), '%s fast: the usual reading' % name)
    nan = np.isnan(got.view(np.float32))
    t.check(np.all(got[nan] == fmt[5]), '%s fast: a NaN is not canonical' % name)
    check_levels(t, name, 'fast', bits, got)
    return err


def check_constants(t):
    """The constants are what their generator prints, up to the breaks of lines."""
    words = lambda text: text.replace('\\\n', ' ').split()
    for option, path in ([], 'runtime/num/coef.h'), (['--tables'], 'runtime/num/fn_table.def'):
        p = subprocess.run([sys.executable, 'tools/gen-num-coef.py', *option], capture_output=True, text=True)
        t.check(p.returncode == 0 and words(p.stdout) == words(open(path).read()),
                path + ' is not what tools/gen-num-coef.py prints')


def main():
    if np.finfo(LD).nmant < 63:
        sys.exit('num_functions: needs a long double of 80 bits or more')
    t = Tally()
    check_constants(t)
    for name in EXACT:
        check_f16(t, name)
        if name != 'expm1':
            err, bad = check_f32(t, name)
            print('%-6s float32: largest error %.9f units, %d not correctly rounded' % (name, err, bad))
    for name in 'exp', 'ln', 'rsqrt':
        print('%-6s fast: largest error %.4f units' % (name, check_fast(t, name)))
    print('%d passed, %d failed' % (t.passed, t.failed))
    return 1 if t.failed else 0


if __name__ == '__main__':
    sys.exit(main())
