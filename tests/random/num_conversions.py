#!/usr/bin/python3
"""Conversions and shifts of the numeric library against exact integer arithmetic, written from the
manual: every pair of types, rounding mode and saturation mode, at every level of the vector unit.

16-bit and 8-bit sources: all values. 32-bit and 64-bit sources: all exponents with random mantissas,
numbers around the ends of every integer type, ties, special values."""
import os
import random
import subprocess
import sys

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD  # noqa

TOOL = os.path.join(BUILD, 'tools', 'numrun')
LEVELS = ('base', 'avx2', 'avx512')
MODES = ('round', 'floor', 'ceil', 'away-zero', 'to-zero')
# float types: bits, significant bits, exponent of the smallest unit, canonical NaN
FLOATS = {'float16': (16, 11, -24, 0x7e00), 'bfloat16': (16, 8, -133, 0x7fc0),
          'float32': (32, 24, -149, 0x7fc00000)}
INTS = {'int4': (4, True), 'int8': (8, True), 'uint8': (8, False), 'int16': (16, True), 'uint16': (16, False),
        'int32': (32, True), 'uint32': (32, False), 'int64': (64, True)}
# source, destination, and the modes besides 'round' (vector 3.3 and 3.6)
PAIRS = [('float32', 'float16', MODES[1:] + ('odd',)), ('float32', 'bfloat16', MODES[1:] + ('odd',)),
         ('float16', 'float32', ()), ('bfloat16', 'float32', ()), ('float32', 'float32', MODES[1:])]
PAIRS += [('float32', d, MODES[1:]) for d in ('int16', 'int32', 'int64')]
PAIRS += [('float16', d, MODES[1:]) for d in ('int4', 'int8', 'uint8', 'int16', 'int32')]
PAIRS += [('bfloat16', 'int32', MODES[1:])]
PAIRS += [(s, 'float32', MODES[1:]) for s in ('int32', 'int64')]
PAIRS += [('int16', 'float16', MODES[1:]), ('int16', 'float32', ()), ('int8', 'float16', ()),
          ('uint8', 'float16', ())]
PAIRS += [(s, d, ()) for s, ds in (
    ('uint8', ('uint16', 'int16', 'uint32', 'int32')), ('int8', ('int16', 'int32')),
    ('uint16', ('uint8', 'uint32', 'int32')), ('int16', ('uint8', 'uint32', 'int32')),
    ('uint32', ('uint8', 'uint16', 'int16')), ('int32', ('uint8', 'uint16', 'int16', 'int64')),
    ('int64', ('int32',))) for d in ds]
NAN, INF = 'nan', 'inf'


def width(t):
    return FLOATS[t][0] if t in FLOATS else INTS[t][0]


def dtype(t):
    return np.dtype('u%d' % (max(width(t), 8) // 8))


# ---- exact values: (sign, magnitude, exponent), or (sign, 'nan' or 'inf', 0) ------------------------------

def decode_float(u, t):
    bits, p, unit, _ = FLOATS[t]
    sign = u >> (bits - 1)
    e, m = u >> (p - 1) & ((1 << (bits - p)) - 1), u & ((1 << (p - 1)) - 1)
    if e == (1 << (bits - p)) - 1:
        return sign, NAN if m else INF, 0
    return (sign, m, unit) if e == 0 else (sign, m | 1 << (p - 1), unit + e - 1)


def decode(u, t):
    if t in FLOATS:
        return decode_float(u, t)
    bits, signed = INTS[t]
    v = u - (1 << bits) if signed and u >> (bits - 1) else u
    return int(v < 0), abs(v), 0


def cut(sign, mag, shift, mode):
    """mag / 2^shift as an integer, rounded as the table of rounding modes says."""
    if shift <= 0:
        return mag << -shift
    kept, rest, half = mag >> shift, mag & ((1 << shift) - 1), 1 << (shift - 1)
    if mode == 'round':
        up = rest > half or (rest == half and kept % 2 == 1)
    elif mode == 'floor':
        up = sign and rest > 0
    elif mode == 'ceil':
        up = not sign and rest > 0
    elif mode == 'away-zero':
        up = rest >= half
    elif mode == 'odd':
        up = rest > 0 and kept % 2 == 0
    else:
        up = False
    return kept + bool(up)


def encode_float(sign, mag, exp, t, mode, keep, saturates):
    """A value rounded to a float type, as bits."""
    bits, p, unit, nan = FLOATS[t]
    top = sign << (bits - 1)
    infinity = ((1 << (bits - p)) - 1) << (p - 1)
    over = infinity if keep or not saturates else infinity - 1
    if mag == NAN:
        return nan if keep or not saturates else 0
    if mag == INF:
        return top | over
    quantum = max(mag.bit_length() + exp - p, unit)
    r = cut(sign, mag, quantum - exp, mode)
    if r == 1 << p:
        r, quantum = r >> 1, quantum + 1
    biased = quantum - unit + 1 if r >> (p - 1) else 0
    u = r if biased == 0 else (biased << (p - 1)) + r - (1 << (p - 1))
    return top | (over if u >= infinity else u)


def encode_int(sign, mag, exp, t, mode, keep):
    bits, signed = INTS[t]
    lo, hi = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if mag == NAN:
        return 0
    if mag == INF:
        v = lo if sign else hi
    else:
        v = cut(sign, mag, -exp, mode)
        v = -v if sign else v
        v = v if keep else min(max(v, lo), hi)
    return v & ((1 << bits) - 1)


def convert(u, s, d, mode, keep):
    sign, mag, exp = decode(u, s)
    if d in INTS:
        return encode_int(sign, mag, exp, d, mode, keep)
    if (s, d) == ('float32', 'float32'):   # to an integral number
        if mag in (NAN, INF):
            return FLOATS[d][3] if mag == NAN else u
        return encode_float(sign, cut(sign, mag, -exp, mode), 0, d, 'round', True, False)
    if mag == NAN and s in FLOATS and width(d) > width(s):   # widening keeps the payload, float16 quietly
        shift = FLOATS[d][1] - FLOATS[s][1]
        m = u & ((1 << (FLOATS[s][1] - 1)) - 1)
        quiet = 1 << 22 if s == 'float16' else 0
        return sign << 31 | 0xff << 23 | m << shift | quiet
    return encode_float(sign, mag, exp, d, mode, keep, s == 'float32')


# ---- elements ------------------------------------------------------------------------------------------------

def float32_elements(rng):
    out = [e << 23 | rng.getrandbits(23) for e in range(512) for _ in range(6)]
    out += [e << 23 | m for e in range(512) for m in (0, 1, 0x7fffff, 0x400000)]
    for e in range(127 - 27, 127 + 67):   # close to ties of float16, bfloat16 and integers
        for _ in range(12):
            keep = rng.randrange(24)
            m = rng.getrandbits(23) >> keep << keep
            out += [s << 31 | e << 23 | (m + d) & 0x7fffff for s in (0, 1) for d in (-1, 0, 1)]
    for v in (127, 128, 255, 256, 32767, 32768, 65504, 65519, 65520, 65535, 65536, 2 ** 24, 2 ** 31, 2 ** 32, 2 ** 63,
              2 ** 64):
        for x in (v, v - 0.5, v + 0.5, v - 1, v + 1):
            u = int(np.float32(x).view(np.uint32))
            out += [s << 31 | u + d for s in (0, 1) for d in (-1, 0, 1)]
    return out


def wide_int_elements(bits, rng):
    out = []
    for k in range(bits):
        for d in range(-3, 4):
            out += [(1 << k) + d, -(1 << k) + d, 3 * (1 << k) // 2 + d]
        out += [rng.getrandbits(k + 1) for _ in range(40)]
        top = rng.getrandbits(24) | 1 << 24   # a tie of float32, and its neighbours
        out += [(top << max(k - 24, 0)) + d for d in (-1, 0, 1)]
        out += [-(top << max(k - 24, 0)) + d for d in (-1, 0, 1)]
    return [v & ((1 << bits) - 1) for v in out]


def elements(t):
    rng = random.Random(t)
    if width(t) <= 16:
        return list(range(1 << width(t)))
    return float32_elements(rng) if t == 'float32' else wide_int_elements(width(t), rng)


# ---- runs ----------------------------------------------------------------------------------------------------

def run(args, data):
    p = subprocess.run([TOOL] + args, input=data.tobytes(), capture_output=True)
    if p.returncode == 3:   # no such level here
        return None
    if p.returncode != 0:
        sys.exit('numrun %s: exit code %d: %s' % (' '.join(args), p.returncode, p.stderr))
    return p.stdout


class Tally:
    passed = failed = 0

    def compare(self, what, src, got, want):
        got = np.frombuffer(got, dtype=want.dtype)
        bad = np.flatnonzero(got != want) if len(got) == len(want) else [0]
        self.passed += len(bad) == 0
        self.failed += len(bad) != 0
        if len(bad):
            i = int(bad[0])
            print('FAILED: %s: %d of %d wrong; %x gives %x, not %x' %
                  (what, len(bad), len(want), src[i * len(src) // len(want)], got[i], want[i]))


def nibbles(values):
    values = np.array(values + [0] * (len(values) % 2), dtype=np.uint8)
    return values[0::2] | values[1::2] << 4


def check_pair(t, s, d, mode, keep):
    src = elements(s)
    if d == 'int4':
        src = src[:-1]   # an odd number
    want = [convert(u, s, d, mode, keep) for u in src]
    want = nibbles(want) if d == 'int4' else np.array(want, dtype=dtype(d))
    data = np.array(src, dtype=dtype(s))
    for level in LEVELS:
        args = ['conv', level, s, d, mode, str(int(keep))]
        got = run(args, data)
        if got is not None:
            t.compare(' '.join(args), src, got, want)


def check_missing(t):
    """Combinations that are none: numrun ends with 4."""
    some = {(s, d): ('round',) + modes for s, d, modes in PAIRS}
    for s in list(FLOATS) + list(INTS):
        for d in list(FLOATS) + list(INTS):
            for mode in MODES + ('odd',):
                if mode in some.get((s, d), ()) or (mode == 'odd' and d in FLOATS and (s, d) in some):
                    continue
                p = subprocess.run([TOOL, 'conv', 'base', s, d, mode, '0'], input=b'', capture_output=True)
                t.compare('%s to %s, %s: exists' % (s, d, mode), [0], bytes([p.returncode]),
                          np.array([4], dtype=np.uint8))


def check_scaled(t):
    rng = random.Random(1)
    src = wide_int_elements(32, rng)
    for scale in (0x3c00, 0x3800, 0x1400, 0x0001, 0x03ff, 0x7bff, 0xbc01, 0x2e66, 0x0000, 0x8000, 0x7c00, 0x7e00):
        s_sign, s_mag, s_exp = decode_float(scale, 'float16')
        want = []
        for u in src:
            sign, mag, _ = decode(u, 'int32')
            if s_mag == NAN or (s_mag == INF and mag == 0):
                want.append(0)
                continue
            product = INF if s_mag == INF else mag * s_mag
            # 0 times a negative number: IEEE gives the sign of the product
            want.append(encode_float(sign ^ s_sign, product, s_exp, 'float16', 'round', False, True))
        for level in LEVELS:
            got = run(['scaled', level, '%x' % scale], np.array(src, dtype=np.uint32))
            if got is not None:
                t.compare('scaled %s by %04x' % (level, scale), src, got, np.array(want, dtype=np.uint16))


def packed_value(u, pack):
    sign, mag, _ = decode(u, 'int16')
    m_sign, m_mag, m_exp = decode_float(pack & 0xffffe000, 'float32')
    offset = pack >> 37 & 0x1ff
    offset -= 512 if offset >= 256 else 0
    if m_mag == NAN or (m_mag == INF and mag == 0):
        t2 = 0
    elif m_mag == INF:
        t2 = -256 if sign ^ m_sign else 255
    else:
        t1 = encode_float(sign ^ m_sign, mag * m_mag, m_exp, 'float32', 'round', True, False)
        f_sign, f_mag, f_exp = decode_float(t1, 'float32')
        v = 1 << 40 if f_mag == INF else cut(f_sign, f_mag, -f_exp, 'round')
        t2 = min(max(-v if f_sign else v, -256), 255)
    lo, hi = (-128, 127) if pack >> 46 & 1 else (0, 255)
    return min(max(t2 + offset, lo), hi) & 0xff


def check_packed(t):
    rng = random.Random(2)
    src = list(range(65536))
    scales = [0.5, 1.0, 0.7531, 0.0039, 1.5, 100.0, -0.25, 1e-30, 3e38, float('inf'), float('nan')]
    sets = []
    for sign in (0, 1):
        for scale in scales:
            m = int(np.float32(scale).view(np.uint32)) | rng.getrandbits(10)
            sets.append([m | rng.getrandbits(9) << 37 | sign << 46 | rng.getrandbits(17) << 47])
        sets.append([int(np.float32(rng.uniform(-2, 2)).view(np.uint32)) | rng.getrandbits(9) << 37 | sign << 46
                     for _ in range(16)])
    for packs in sets:
        n = 65536 if len(packs) == 1 else 4001
        want = np.array([packed_value(u, packs[u % len(packs)]) for u in src[:n]], dtype=np.uint8)
        for level in LEVELS:
            got = run(['packed', level] + ['%x' % p for p in packs], np.array(src[:n], dtype=np.uint16))
            if got is not None:
                t.compare('packed %s %x' % (level, packs[0]), src[:n], got, want)


def shifted(u, op, bits, signed, n):
    v = u - (1 << bits) if signed and u >> (bits - 1) else u
    if op == 'left' and signed:
        high = 1 << (bits - 1)
        return (u & high) | ((u << n) & (high - 1))
    if op in ('left', 'left-all'):
        v = v << n
    elif op == 'rounded' and n:
        v = (v + (1 << (n - 1))) >> n
    else:
        v = v >> n
    return v & ((1 << bits) - 1)


def check_shifts(t):
    for name in ('uint16', 'int16', 'uint32', 'int32'):
        bits, signed = INTS[name]
        src = elements(name)
        for op in ('left', 'left-all', 'right', 'rounded') if signed else ('left', 'right'):
            for n in (0, 1, 2, 7, bits - 1, bits):
                want = np.array([shifted(u, op, bits, signed, n) for u in src], dtype=dtype(name))
                t.compare('shift %s %s %d' % (op, name, n), src,
                          run(['shift', op, name, str(n)], np.array(src, dtype=dtype(name))), want)


def main():
    t = Tally()
    for s, d, modes in PAIRS:
        for mode in ('round',) + modes:
            for keep in (False, True):
                check_pair(t, s, d, mode, keep)
    check_missing(t)
    check_scaled(t)
    check_packed(t)
    check_shifts(t)
    print('%d passed, %d failed' % (t.passed, t.failed))
    return 1 if t.failed else 0


if __name__ == '__main__':
    sys.exit(main())
