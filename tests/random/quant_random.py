#!/usr/bin/python3
"""Random moves between the accumulator and UB, over every block mode, pair of types, scale and flag, in both spellings,
on the host back end and the emulator against quant_model, half as many fixpipes in both forms; and the corners of parameter words exhaustively: every offset
with every product of nine bits, every shift with the ends of every range.

usage: quant_random.py [--match TEXT] [--exhaustive]. TIKC_SEED chooses the seed, TIKC_VECTORS the number of moves. Prints
the seed; ends with 'N passed, N failed'."""
import argparse
import collections
import os
import random
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa
from quant_model.moves import Move
from quant_model.numbers import SIZES, UINT, word
from quant_model.fixpipe import Blocks, Columns
from quant_program import Fix, Step, compare

SEED = int(os.environ.get('TIKC_SEED', '20240917'))
COUNT = int(os.environ.get('TIKC_VECTORS', '400'))
PER_PROGRAM = 60
RUN = ('host -O2', 'emu')

# (modes of tensor_mov, modes of data_copy, source, destination, scale, relu): from the accumulator
OUT = [('m v dp', 'm v', 'float16', 'float16', 'DEQ_NONE', True),
       ('m v sc', 'm v', 'float32', 'float32', 'DEQ_NONE', True),
       ('m v sc', 'm v', 'int32', 'int32', 'DEQ_NONE', True),
       ('dp', '', 'float32', 'float32', 'DEQ_NONE', False),
       ('dp', '', 'int32', 'int32', 'DEQ_NONE', False),
       ('m', 'm v', 'uint32', 'uint32', 'DEQ_NONE', False),
       ('', 'm v', 'int16', 'int16', 'DEQ_NONE', False),
       ('', 'm v', 'uint16', 'uint16', 'DEQ_NONE', False),
       ('m v dp', 'm v', 'float32', 'float16', 'DEQ_NONE', True),
       ('m v sc', 'm v', 'int32', 'float16', 'DEQ', False),
       ('m v dp', 'm v', 'float16', 'float16', 'DEQ', False),
       ('m v sc', 'm v', 'int32', 'float16', 'VDEQ', True),
       ('m v sc', 'm v', 'int32', 'float16', 'DEQ16', True),
       ('m v sc', 'm v', 'int32', 'float16', 'VDEQ16', True),
       ('m v', 'm v', 'int32', 'int16', 'DEQ16', True),
       ('m v', 'm v', 'int32', 'int16', 'VDEQ16', True)]
OUT += [('m v', 'm v', 'int32', t, s, True) for t in ('int8', 'uint8') for s in ('DEQ8', 'VDEQ8')]
INTO = [('m v', 'float16', 'float16'), ('m v sc', 'float32', 'float32'), ('m v sc', 'int32', 'int32'),
        ('m v', 'uint32', 'uint32'), ('m v sc', 'float32', 'float16'), ('m v', 'float16', 'float32')]
KINDS = [(mode, 'tensor_mov', *row[2:]) for row in OUT for mode in row[0].split()]
KINDS += [(mode, 'data_copy', *row[2:]) for row in OUT for mode in row[1].split()]
KINDS += [(mode, 'into', src, dst, 'DEQ_NONE', False) for modes, src, dst in INTO for mode in modes.split()]
SPECIAL = {'float16': [0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7d00, 0x0400],
           'float32': [0, 0x80000000, 1, 0x3f800000, 0xbf800000, 0x477fe000, 0x477fefff, 0x477ff000, 0xc77ff000,
                       0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x33000000, 0x33000001, 0x7f7fffff]}


def random_half(r):
    return r.choice(SPECIAL['float16']) if r.random() < 0.2 else r.getrandbits(16)


def random_m(r):
    """Bits of a multiplier: of every size, often near 2^-24 to 2^8, sometimes no number."""
    kind = r.random()
    if kind < 0.1:
        return r.choice(SPECIAL['float32'])
    if kind < 0.2:
        return r.getrandbits(32)
    m = np.float32(2.0 ** r.randint(-26, 8) * (1 if r.random() < 0.4 else 1 + r.random()) * r.choice((1, 1, 1, -1)))
    return int(m.view(np.uint32))


def random_word(r, dst, relu, mcb):
    """A word that the rules allow. relu: with ReLU the offset follows from the destination."""
    offset = r.choice((0, -1, 1, -128, 127, -256, 255, r.randint(-256, 255)))
    if dst in ('int8', 'uint8') and relu:
        offset = -128 if dst == 'int8' else 0
    base = word(0, r.randint(1, 16), mcb, offset, int(dst == 'int8'), 0)
    return base | random_m(r)


def scale_words(r, scale, dst, n, relu):
    """The words, and whether bit 47 asks for ReLU."""
    if scale == 'DEQ_NONE':
        return None, relu
    if scale == 'DEQ':
        return random_half(r), relu
    if scale == 'VDEQ':
        return np.array([random_half(r) for _ in range(16)], np.uint16), relu
    if scale in ('DEQ8', 'DEQ16'):
        bit = r.random() < 0.3
        w = random_word(r, dst, relu or bit, r.randint(0, 1))
        return w | (int(bit) << 47), relu
    words = []
    for _ in range(n):
        mcb = r.randint(0, 1)
        words += [random_word(r, dst, relu, mcb) | (r.randint(0, 1) << 47) for _ in range(16)]
    return np.array(words, np.uint64), relu


def random_elements(r, dtype, n, m_bits):
    """Elements of which many are near what the scale makes a tie or an end of the range."""
    g = np.random.default_rng(r.getrandbits(32))
    if dtype in ('float16', 'float32'):
        bits = g.integers(0, 2 ** (8 * SIZES[dtype]), n, dtype=np.uint64)
        small = (g.normal(0, 300, n)).astype(np.float16 if dtype == 'float16' else np.float32).view(UINT[dtype])
        special = g.choice(np.array(SPECIAL[dtype], np.uint64), n)
        kind = g.random(n)
        return np.where(kind < 0.4, bits, np.where(kind < 0.8, small, special)).astype(UINT[dtype])
    if SIZES[dtype] == 2:
        return g.integers(0, 65536, n, dtype=np.uint64).astype(np.uint16)
    m = abs(float(np.uint32(m_bits).view(np.float32))) if m_bits else 1.0
    m = m if np.isfinite(m) and m > 1e-30 else 1.0
    near = np.round((g.integers(-300, 300, n) + 0.5 * g.integers(0, 2, n)) / m) + g.integers(-1, 2, n)
    powers = np.left_shift(np.int64(1), g.integers(0, 32, n)) * g.choice([-1, 1], n) + g.integers(-1, 2, n)
    kind = g.random(n)
    x = np.where(kind < 0.5, near, np.where(kind < 0.75, powers, g.integers(-2**31, 2**31, n)))
    return np.clip(x, -2**31, 2**31 - 1).astype(np.int64).astype(np.int32).view(np.uint32)


def random_shape(r, mode, to_acc):
    n = 1 if mode == 'dp' else r.randint(1, 4)
    most = {'m': 3, 'dp': 5, 'v': 9, 'sc': 7}[mode]
    gap = r.randint(0, 2) if r.random() < 0.7 else 0
    other = r.randint(0, 5) if r.random() < 0.7 else 0
    return (n, r.randint(1, most), gap, other) if to_acc else (n, r.randint(1, most), other, gap)


def representative(words):
    if words is None:
        return 0
    w = int(np.asarray(words).reshape(-1)[0])
    return w & 0xffffffff if w > 0xffff else int(np.float32(np.uint16(w).view(np.float16)).view(np.uint32))


def random_step(r, kind):
    mode, spelling, src, dst, scale, may_relu = kind
    to_acc = spelling == 'into'
    n, burst, dst_stride, src_stride = random_shape(r, mode, to_acc)
    relu = may_relu and r.random() < 0.5
    words, relu = scale_words(r, scale, dst, n, relu)
    sid = r.randint(0, 2) if dst in ('int8', 'uint8') else 0
    if mode == 'v' and sid == 2 and n > 1:
        burst += burst % 2
    m = Move(mode, n, burst, dst_stride, src_stride, src, dst, scale, words, sid, relu, to_acc=to_acc)
    if spelling == 'tensor_mov' and dst in ('int16', 'float16', 'float32') and mode != 'dp' and r.random() < 0.15:
        m.fly = r.randint(1, 2)
        m.other = random_elements(r, dst, m.elements(), 0).view(np.uint8)
    before = np.frombuffer(r.randbytes(m.acc_bytes() if to_acc else m.out_bytes()), np.uint8)
    size = m.out_bytes() if to_acc else m.acc_bytes()
    source = random_elements(r, src, -(-size // SIZES[src]), representative(words))
    if to_acc:
        before = np.concatenate([before, np.zeros(-len(before) % (256 * SIZES[dst]), np.uint8)])
    step = Step(m, source, before, 'data_copy' if spelling == 'data_copy' else 'tensor_mov', r.random() < 0.3)
    step.vary = r.getrandbits(32)
    return step


# ---- fixpipe -------------------------------------------------------------------------------------------------------

BLOCKS = [('float32', 'float32', None), ('int32', 'int32', None), ('float32', 'float16', 'fp322fp16'),
          ('int32', 'float16', 'int322fp16')]
COLUMNS = [('float32', 'float32', 'NoQuant'), ('int32', 'int32', 'NoQuant'), ('float32', 'float16', 'F322F16'),
           ('float32', 'bfloat16', 'F322BF16'), ('int32', 'float16', 'DEQF16'), ('int32', 'float16', 'VDEQF16')]
COLUMNS += [(s, t, m) for t in ('int8', 'uint8') for s, ms in (('float32', ('QF322B8_PRE', 'VQF322B8_PRE')),
                                                              ('int32', ('REQ8', 'VREQ8'))) for m in ms]
FIX_KINDS = [('blocks',) + b + (extra,) for b in BLOCKS for extra in ('', 'bias', 'other')]
FIX_KINDS += [('columns',) + c + (nd,) for c in COLUMNS for nd in ('nz', 'nd')] + [('columns', 'float32', 'float32', 'NoQuant', 'split')]


def random_blocks(r, src, dst, quantize, extra, early):
    b = Blocks(r.randint(1, 3), r.randint(1, 20), r.randint(0, 3), r.randint(0, 1), src, dst, quantize)
    scalar = quantize == 'int322fp16' and r.random() < 0.5
    if scalar:
        b.param = float(np.uint16(r.randint(0x0400, 0x4bff)).view(np.float16)) if early else random_float(r)
    elif quantize == 'int322fp16':
        b.param = np.array([random_half(r) for _ in range(16)], np.uint16) if early else np.array(
            [random_m(r) for _ in range(16 * b.n)], np.uint32).view(np.float32)
    b.relu = not extra and not (scalar and early) and r.random() < 0.5
    if extra == 'bias':
        b.bias = random_elements(r, src, 16 * b.n, 0)
    if extra == 'other':
        b.other = random_elements(r, dst, b.n * b.rows * 16, 0)
    return b


def random_float(r):
    while True:
        m = float(np.uint32(random_m(r)).view(np.float32))
        if np.isfinite(m):
            return m


def random_columns(r, src, dst, mode, layout):
    c = Columns(16 * r.randint(1, 4), r.randint(1, 20), 0, r.randint(1, 40), src, dst, mode, relu=r.random() < 0.5)
    c.src_stride = 16 * r.randint(2, 3)
    if layout == 'nd':
        c.nd, c.n = True, r.randint(1, 60)
        c.dst_stride = c.n + r.randint(0, 9)
        c.nd_num, c.nd_src = r.randint(1, 2), r.randint(1, 4)
        c.nd_dst = (c.m - 1) * c.dst_stride + c.n + r.randint(0, 5)
    elif layout == 'split':
        c.split, c.n, c.dst_stride = True, 8 * r.randint(1, 6), c.m + r.randint(0, 5)
    else:
        c.dst_stride = c.m * (16 * SIZES[dst]) // 32 + 1 + r.randint(0, 5) if SIZES[dst] > 1 else c.m + r.randint(0, 4)
    if mode not in ('NoQuant', 'F322F16', 'F322BF16'):
        words = [random_word(r, dst, False, r.randint(0, 1) if i == 0 else 0) | r.randint(0, 1) << 47 for i in range(c.n)]
        mcb = words[0] >> 36 & 1
        words = [w & ~(1 << 36) | mcb << 36 for w in words]
        c.words = np.array(words, np.uint64) if mode.startswith('V') else words[0]
    return c


def random_fix(r, kind, early):
    what, src, dst, mode, extra = kind
    fix = (random_blocks(r, src, dst, mode, extra, early) if what == 'blocks'
           else random_columns(r, src, dst, mode, extra))
    near = 0 if what == 'blocks' or mode in ('NoQuant', 'F322F16', 'F322BF16') else representative(fix.words)
    source = random_elements(r, 'int32' if src == 'int32' else 'float32', fix.src_elements(), near)
    to_l1 = what == 'columns' and r.random() < 0.3
    before = np.frombuffer(r.randbytes(fix.dst_bytes()), np.uint8)
    step = Fix(fix, source, before, r.random() < 0.5, to_l1, r.random() < 0.3)
    step.vary = r.getrandbits(32)
    return step


# ---- exhaustive corners -----------------------------------------------------------------------------------------

def rows_of(x):
    """Every number in every channel: rows of 16 equal elements, as whole fractals."""
    x = np.repeat(np.asarray(x, np.int64), 16)
    x = np.concatenate([x, np.zeros(-len(x) % 256, np.int64)])
    return x.astype(np.int32).view(np.uint32)


def vector_step(words, x, dst, scale, relu, sid):
    x = list(x)
    for first in range(0, len(x), 512):
        src = rows_of(x[first:first + 512])
        m = Move('m', 1, len(src) // 256, 0, 0, 'int32', dst, scale, np.array(words, np.uint64), sid, relu)
        yield Step(m, src, np.zeros(m.out_bytes(), np.uint8))


def offsets():
    """Every offset with every product from -300 to 300, for both signs."""
    for dst in ('int8', 'uint8'):
        for first in range(-256, 256, 16):
            yield from vector_step([word(1, 1, 0, o, int(dst == 'int8')) for o in range(first, first + 16)],
                              range(-300, 301), dst, 'VDEQ8', False, (first // 16) % 3)
        fixed = -128 if dst == 'int8' else 0
        yield from vector_step([word(1, 1, 0, fixed, int(dst == 'int8'))] * 16, range(-300, 301), dst, 'VDEQ8', True, 2)


def ties():
    """Products of k / 2 for every k in -1100 to 1100, of k / 4 and k / 8."""
    for dst in ('int8', 'uint8'):
        words = [word(m, 1, 0, 0, int(dst == 'int8')) for m in (0.5, -0.5, 0.25, -0.25, 0.125, 0.1, 0.3, 1 / 3) * 2]
        yield from vector_step(words, range(-1100, 1101), dst, 'VDEQ8', False, 2)
    yield from vector_step([word(m) for m in (0.5, 0.25, 2.0 ** -24, 2.0 ** -25, 3 * 2.0 ** -25, 32.0, 31.99, 33.0) * 2],
                      range(-2100, 2101), 'float16', 'VDEQ16', False, 0)


def shifts():
    """Every shift with numbers around every power of two."""
    near = {s * 2**k + d for k in range(32) for s in (-1, 1) for d in (-2, -1, 0, 1, 2)}
    x = sorted(v for v in near if -2**31 <= v < 2**31)
    for dst, scale in (('int8', 'VDEQ8'), ('uint8', 'VDEQ8'), ('float16', 'VDEQ16'), ('int16', 'VDEQ16')):
        for mcb in (0, 1):
            for m in (1.0, 0.01, -0.5):
                for relu in (False, True):
                    offset = (-128 if dst == 'int8' else 0) if relu else 3
                    words = [word(m, n, mcb, offset if scale == 'VDEQ8' else 0, int(dst == 'int8')) for n in range(1, 17)]
                    yield from vector_step(words, x, dst, scale, relu, 2 if scale == 'VDEQ8' else 0)


def halves():
    """DEQ: every float16 as a scale of 1, -3 and 2^31-1 (VDEQ has 16 of them)."""
    x = rows_of([1, -3, 2**31 - 1, -2**31])
    for first in range(0, 65536, 16):
        words = np.arange(first, first + 16, dtype=np.uint16)
        m = Move('m', 1, 1, 0, 0, 'int32', 'float16', 'VDEQ', words, 0, first % 32 == 16)
        yield Step(m, x, np.zeros(512, np.uint8))


EXHAUSTIVE = {'offsets': offsets, 'ties': ties, 'shifts': shifts, 'halves': halves}


def run(steps, counts, soc='Ascend310P3'):
    bad = compare(TIKC, steps, RUN, soc)
    for s, backend, text in bad:
        print(f'{backend}: {s and (s.spelling, s.run_time, s.move)}: {text}')
    counts['failed'] += min(len(bad), len(steps))
    counts['passed'] += len(steps) - min(len(bad), len(steps))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    ap.add_argument('--exhaustive', action='store_true')
    a = ap.parse_args()
    print(f'seed {SEED}')
    counts, seen = collections.Counter(), collections.Counter()
    for name, make in EXHAUSTIVE.items():
        steps = list(make()) if a.exhaustive and a.match in name else []
        for i in range(0, len(steps), PER_PROGRAM):
            run(steps[i:i + PER_PROGRAM], counts)
        if steps:
            print(f'{name}: {sum(s.move.elements() for s in steps)} elements in {len(steps)} moves')
    kinds = [k for k in KINDS if a.match in ' '.join(map(str, k))]
    for i in range(0, COUNT if kinds else 0, PER_PROGRAM):
        r = random.Random(SEED * 1000003 + i)
        steps = [random_step(r, kinds[(i + j) % len(kinds)]) for j in range(min(PER_PROGRAM, COUNT - i))]
        seen.update((s.move.mode, s.move.src, s.move.dst, s.move.scale, s.move.relu, s.move.sid, s.move.fly) for s in steps)
        run(steps, counts)
    kinds = [k for k in FIX_KINDS if a.match in ' '.join(map(str, ('fixpipe',) + k))]
    for i in range(0, COUNT // 2 if kinds else 0, PER_PROGRAM):
        r = random.Random(SEED * 1000033 + i)
        early = i // PER_PROGRAM % 2 == 1
        choice = [k for k in kinds if k[0] == 'blocks' or not early] or kinds
        steps = [random_fix(r, choice[(i + j) % len(choice)], early) for j in range(min(PER_PROGRAM, COUNT // 2 - i))]
        seen.update((s.fix.src, s.fix.dst, type(s.fix).__name__, s.fix.relu) for s in steps)
        run(steps, counts, 'Ascend310P3' if early and choice[0][0] == 'blocks' else Fix.SOC)
    print(f'{len(seen)} combinations of block mode, types, scale and flags')
    print(f'{counts["passed"]} passed, {counts["failed"]} failed')
    return 1 if counts['failed'] or not counts['passed'] else 0


if __name__ == '__main__':
    sys.exit(main())
