#!/usr/bin/python3
"""What scalar operations make of sets of numbers (num/scalar_interval.c) is what docs/blob-rules.md says, "What operations give", which is written down
here a second time from the page alone: random sets, many at the edges of types and of 64 bits, and every operation on every pair of dtypes.
TIKC_SEED sets the seed (1), TIKC_SETS the cases of each operation and dtype (400). Ends with 'N passed, N failed'."""
import math
import os
import random
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD  # noqa
from isa_tables import rows  # noqa: E402

LOW, HIGH = -2**63, 2**63 - 1
OPS = [r[1] for r in rows('runtime/isa/scalar.def', 'SCALAR_OP')]
TYPES = [(r[1], 8 * int(r[2]), r[3]) for r in rows('runtime/isa/dtype.def', 'DTYPE')][:12]  # those of scalars
COMPARISONS = ('eq', 'ne', 'lt', 'le', 'gt', 'ge')


def fits(v):
    return LOW <= v <= HIGH


def span(lo, hi):
    return (lo, hi, 1, 0) if lo < hi else (lo, lo, 0, lo)


def grid(lo, hi, m, v):
    if m == 0 or lo == hi:
        return span(lo, hi)
    first, last = lo + (v - lo) % m, hi - (hi - v) % m
    if first > last or not fits(first) or not fits(last):
        return span(lo, hi)
    return (first, last, m, v % m) if first < last else span(first, last)


def everything(t):
    _, bits, kind = t
    if kind == 'BOOL':
        return span(0, 1)
    if bits == 64:
        return span(LOW, HIGH)
    return span(-2**(bits - 1), 2**(bits - 1) - 1) if kind == 'SINT' else span(0, 2**bits - 1)


def wrap64(v):
    return (v + 2**63) % 2**64 - 2**63


def single(s):
    return s[0] == s[1]


def inside(s, t):
    return t[0] <= s[0] and s[1] <= t[1]


# Each gives a set, and whether it is open.

def added(a, b):
    m, r = math.gcd(a[2], b[2]), a[3] + b[3]
    lo, hi = a[0] + b[0], a[1] + b[1]
    if fits(lo) and fits(hi):
        return grid(lo, hi, m, r), False
    return grid(LOW, HIGH, m or 2**62, wrap64(r)), True


def subtracted(a, b):
    if b[0] == LOW:
        return span(LOW, HIGH), True
    return added(a, (-b[1], -b[0], b[2], -b[3] % b[2] if b[2] else -b[3]))


def multiplied(a, b):
    first, second, third, r = a[2] * b[2], a[2] * b[3], b[2] * a[3], a[3] * b[3]
    if not all(map(fits, (first, second, third, r))) or LOW in (second, third):
        m, r = 1, 0
    else:
        m = math.gcd(first, second, third) or 1
    ends = [x * y for x in a[:2] for y in b[:2]]
    if all(map(fits, ends)):
        return grid(min(ends), max(ends), m, r), False
    return grid(LOW, HIGH, m, r), True


def wrapped(t, v):
    _, bits, kind = t
    if kind == 'BOOL':
        return int(v != 0)
    v %= 2**bits
    return v - 2**bits if v >= 2**(bits - 1) and (kind == 'SINT' or bits == 64) else v


def fit(t, result):
    s, is_open = result
    if not is_open and inside(s, everything(t)):
        return s
    if not is_open and single(s):
        return span(*[wrapped(t, s[0])] * 2)
    lo, hi = everything(t)[:2]
    return grid(lo, hi, math.gcd(2**min(t[1], 62 if t[1] == 64 else t[1]), s[2]), s[3])


def quotient(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def divided(t, a, b):
    if b[0] < 1 or (t[0] == 'uint64' and a[0] < 0):
        return everything(t)
    lo = min(quotient(a[0], b[0]), quotient(a[0], b[1]))
    hi = max(quotient(a[1], b[0]), quotient(a[1], b[1]))
    if single(b) and a[2] > 0 and a[2] % b[0] == 0 and a[3] % b[0] == 0:
        return grid(lo, hi, a[2] // b[0], a[3] // b[0])
    return span(lo, hi)


def rest(t, a, b):
    if b[0] < 1 or (t[0] == 'uint64' and a[0] < 0):
        return everything(t)
    if a[0] >= 0 and a[1] < b[0]:
        return a
    lo = max(a[0], 1 - b[1]) if a[0] < 0 else 0
    hi = min(a[1], b[1] - 1) if a[1] > 0 else 0
    if not single(b):
        return span(lo, hi)
    m = math.gcd(b[0], a[2])
    if m == b[0] and (a[0] >= 0 or a[3] % m == 0):
        return span(*[a[3] % m] * 2)
    return grid(lo, hi, m, a[3])


def shifted(op, t, a, b):
    bits = t[1]
    if op == 'shl':
        if not single(b) or not 0 <= b[0] <= 62:
            return everything(t)
        return span(0, 0) if b[0] >= bits else fit(t, multiplied(a, span(2**b[0], 2**b[0])))
    if not single(b) or not 0 <= b[0] < bits or (t[0] == 'uint64' and a[0] < 0):
        return everything(t)
    lo, hi, k = a[0] >> b[0], a[1] >> b[0], b[0]
    if a[2] > 0 and k < 62 and a[2] % 2**k == 0:
        return grid(lo, hi, a[2] >> k, a[3] >> k)
    return span(lo, hi)


def masked(t, a, c):
    if c == 0:
        return span(0, 0)
    if c > 0:
        low = c & (c + 1) == 0
        if low and a[0] >= 0 and a[1] <= c:
            return a
        lo, hi = 0, min(a[1], c) if a[0] >= 0 else c
        if not low:
            return grid(lo, hi, c & -c, 0)
        if c >= 2**61:
            return grid(lo, hi, 1, 0)
        m = math.gcd(c + 1, a[2])
        return span(*[a[3] % m] * 2) if m == c + 1 else grid(lo, hi, m, a[3])
    if c != LOW and -c & (-c - 1) == 0:
        return grid(a[0] & c, a[1] & c, -c, 0)
    return everything(t)


def bits_of(op, t, a, b):
    if single(a) and single(b):
        x, y = a[0], b[0]
        return span(*[x & y if op == 'and' else x | y if op == 'or' else x ^ y] * 2)
    if op == 'and' and (single(a) or single(b)):
        return masked(t, a, b[0]) if single(b) else masked(t, b, a[0])
    if a[0] < 0 or b[0] < 0:
        return everything(t)
    if op == 'and':
        return span(0, min(a[1], b[1]))
    ones = 2**max(a[1], b[1]).bit_length() - 1
    return span(max(a[0], b[0]) if op == 'or' else 0, ones)


def has(s, v):
    return s[0] <= v <= s[1] and (s[2] == 0 or (v - s[3]) % s[2] == 0)


def disjoint(a, b):
    for x, y in ((a, b), (b, a)):
        if single(x):
            return not has(y, x[0])
    lo, hi = max(a[0], b[0]), min(a[1], b[1])
    finer = a if a[2] >= b[2] else b
    if lo > hi or (a[3] - b[3]) % math.gcd(a[2], b[2]) != 0:
        return True
    return lo + (finer[3] - lo) % finer[2] > hi


def compared(op, t, a, b):
    if t[2] == 'FLOAT' or (t[0] == 'uint64' and (a[0] < 0 or b[0] < 0)):
        return span(0, 1)
    if op in ('eq', 'ne'):
        known = 1 if single(a) and single(b) and a[0] == b[0] else 0 if disjoint(a, b) else None
        known = 1 - known if op == 'ne' and known is not None else known
    else:
        x, y = (a, b) if op in ('lt', 'le') else (b, a)
        strict = op in ('lt', 'gt')
        always = x[1] < y[0] if strict else x[1] <= y[0]
        never = x[0] >= y[1] if strict else x[0] > y[1]
        known = 1 if always else 0 if never else None
    return span(0, 1) if known is None else span(known, known)


def converted(t, f, a):
    if 'FLOAT' in (t[2], f[2]):
        return everything(t)
    if t[2] == 'BOOL':
        return span(*[int(a[0] != 0)] * 2) if single(a) else compared('ne', ('int64', 64, 'SINT'), a, span(0, 0))
    if f[0] == 'uint64' and a[0] < 0:
        return a if t[1] == 64 else fit(t, (a, True))
    return fit(t, (a, False))


def result(op, t, f, a, b):
    of = f if op in ('cast', 'bits') else t
    one = op in ('not', 'neg', 'cast', 'bits', 'sqrt')
    if not inside(a, everything(of)) or not (one or inside(b, everything(of))):
        return span(0, 1) if op in COMPARISONS else everything(t)
    if op in COMPARISONS:
        return compared(op, t, a, b)
    if op == 'cast':
        return converted(t, f, a)
    if op == 'bits':
        return (a if t == f else everything(t)) if 'FLOAT' in (t[2], f[2]) else fit(t, (a, False))
    if t[2] == 'FLOAT' or op == 'sqrt' or (t[2] == 'BOOL' and op not in ('and', 'or', 'xor', 'not')):
        return everything(t)
    if op in ('and', 'or', 'xor'):
        return bits_of(op, t, a, b)
    if op == 'not':
        one = 1 if t[2] == 'BOOL' else -1
        return everything(t) if t[2] == 'UINT' else grid(one - a[1], one - a[0], a[2], one - a[3])
    if op in ('shl', 'shr'):
        return shifted(op, t, a, b)
    if op in ('div', 'rem'):
        return divided(t, a, b) if op == 'div' else rest(t, a, b)
    return fit(t, {'add': added, 'sub': subtracted, 'mul': multiplied}[op](a, b) if op != 'neg' else subtracted(span(0, 0), a))


def drawn_number(draw, t):
    lo, hi = everything(t)[:2]
    near = draw.choice((0, 0, lo, hi, LOW, HIGH, 2**draw.randrange(63), -2**draw.randrange(63), draw.randrange(lo, hi + 1)))
    v = near + draw.choice((0, 1, -1, draw.randrange(-40, 40)))
    return min(max(v, LOW), HIGH) if draw.random() < 0.1 else min(max(v, lo), hi)


def drawn(draw, t):
    x, y = sorted((drawn_number(draw, t), drawn_number(draw, t)))
    if draw.random() < 0.3:
        return span(x, x)
    m = draw.choice((1, 1, 2**draw.randrange(62), draw.randrange(1, 100), draw.randrange(1, 2**40)))
    return grid(x, y, m, draw.randrange(m))


def cases(seed, n):
    draw = random.Random(seed)
    for number, op in enumerate(OPS):
        for t in TYPES:
            for _ in range(n):
                f = draw.choice(TYPES) if op in ('cast', 'bits') else t
                a, b = drawn(draw, f), drawn(draw, f)
                if op in ('shl', 'shr') and draw.random() < 0.8:
                    b = span(*[draw.randrange(70)] * 2)
                if draw.random() < 0.05:
                    a = b
                yield number, op, t, f, a, b


def main():
    found = list(cases(int(os.environ.get('TIKC_SEED', '1')), int(os.environ.get('TIKC_SETS', '400'))))
    lines = [' '.join(map(str, (number, 1 + TYPES.index(t), 1 + TYPES.index(f), *a, *b))) for number, _, t, f, a, b in found]
    answers = subprocess.run([os.path.join(BUILD, 'tools/scalar_sets')], input='\n'.join(lines) + '\n', stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    bad = abs(len(answers) - len(found))
    for (_, op, t, f, a, b), line in zip(found, answers):
        got, want = tuple(map(int, line.split())), result(op, t, f, a, b)
        if got != want:
            bad += 1
            if bad < 20:
                print(f'{op} {t[0]} of {f[0]}: {a} {b} gives {got}, not {want}')
    print(f'{len(found) - bad} passed, {bad} failed')
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
