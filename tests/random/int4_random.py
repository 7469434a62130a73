#!/usr/bin/python3
"""float16 to int4 on lanes, two elements to a byte, on both back ends against the model of this file: every float16 in
both modes of conversions to integers, and random masks, strides and repeats.

usage: int4_random.py. TIKC_SEED chooses the seed, TIKC_VECTORS the number of random calls. Prints the seed; ends with
'N passed, N failed'."""
import os
import random
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa
from quant_program import compare, load

SEED = int(os.environ.get('TIKC_SEED', '20240917'))
COUNT = int(os.environ.get('TIKC_VECTORS', '300'))
RUN = ('host -O0', 'host -O2', 'emu')
SOCS = ('Ascend310P3', 'Hi3796CV300CS')
LANES = 128


def nibbles(bits, keep):
    """Patterns of float16 as int4 in 0..15: to the nearest, ties to even, clamped; keep: finite ones keep their low bits."""
    x = bits.view(np.float16).astype(np.float64)
    r = np.rint(np.where(np.isfinite(x), x, 0))
    clamped = np.where(np.isinf(x), np.where(x > 0, 7, -8), np.clip(r, -8, 7))
    return (np.where(np.isfinite(x) & keep, r, clamped).astype(np.int64) & 15).astype(np.uint8)


class Call:
    """One vconv or vec_conv. lanes: whether each lane of a repeat is active. The attributes of quant_program.Step."""

    def __init__(self, r, repeats, lanes, mask, keep=False, plain=False):
        self.lanes, self.mask, self.repeats, self.keep, self.move = lanes, mask, repeats, keep, self
        self.old = plain or r.random() < 0.6
        wild = not plain and self.old
        self.unit = int(wild and r.random() < 0.3)
        self.blk = (r.randint(1, 3), r.randint(0, 2)) if wild else (1, 1)
        self.rep = (2, 8) if plain else (r.randint(0, 5) if self.unit else r.randint(2, 6), r.randint(0, 9))
        at, pairs = self.places()
        g = np.random.default_rng(r.getrandbits(32))
        near = (g.normal(0, 6, int(at.max()) + 1)).astype(np.float16).view(np.uint16)
        self.src = np.where(g.random(len(near)) < 0.7, near, g.integers(0, 65536, len(near))).astype(np.uint16)
        self.before = g.integers(0, 256, int(pairs.max()) + 1).astype(np.uint8)

    def places(self):
        """Per repeat and lane: the source element, and the byte that its pair has."""
        lane = np.arange(LANES)
        r = np.arange(self.repeats).reshape(-1, 1)
        both = []
        for k, blocks in ((1, 8), (0, 2)):
            blk = self.blk[k] or (1 if k == 0 else 0)
            step = self.rep[k] + ((blocks - 1) * blk + 1) * self.unit
            per = LANES // blocks
            both.append((r * step + lane // per * blk) * 32 + lane % per * 32 // per)
        last = max(i for i, on in enumerate(self.lanes) if on)
        return both[0][:, :last + 1] // 2, both[1][:, :last + 1]

    def lines(self, memory, i, out):
        lines, n = [], -(-len(self.before) // 32) * 32
        load(lines, memory, f'src{i}', self.src)
        load(lines, memory, f'dst{i}', self.before)
        lines.append(f't.set_fp2int_mode({int(self.keep)})')
        dst, src = f'dst{i}.reinterpret_cast_to("int4")', f'src{i}.reinterpret_cast_to("float16")'
        if self.old:
            lines.append(f't.vconv({self.mask}, "", {dst}, {src}, {self.repeats}, {self.blk[0]}, {self.blk[1]}, {self.rep[0]}, '
                         f'{self.rep[1]}, stride_unit={self.unit})')
        else:
            lines.append(f't.vec_conv({self.mask}, "none", {dst}, {src}, {self.repeats}, {self.rep[0]}, {self.rep[1]})')
        lines.append(f't.data_move(out[{out}], dst{i}, 0, 1, {n // 32}, 0, 0)')
        return lines, n

    def expected(self):
        dst = self.before.copy()
        at, pairs = self.places()
        for a, p in zip(at, pairs):
            v = nibbles(self.src[a], self.keep)
            for k in range(0, len(p), 2):
                if self.lanes[k]:
                    dst[p[k]] = v[k] | v[k + 1] << 4
        return dst


def random_call(r):
    if r.random() < 0.6:
        n = 2 * r.randint(1, LANES // 2)
        return Call(r, r.randint(1, 6), [i < n for i in range(LANES)], n, r.random() < 0.2)
    pairs = [r.random() < 0.5 for _ in range(LANES // 2)]
    pairs[r.randrange(len(pairs))] = True
    word = sum(3 << 2 * i for i, on in enumerate(pairs) if on)
    return Call(r, r.randint(1, 6), [on for on in pairs for _ in range(2)], f'[{word >> 64:#x}, {word & (1 << 64) - 1:#x}]',
                r.random() < 0.2)


def all_inputs(r, keep):
    """Every float16, in quarters."""
    for part in range(4):
        c = Call(r, LANES, [True] * LANES, LANES, keep, True)
        c.src = np.arange(part * 16384, (part + 1) * 16384).astype(np.uint16)
        yield c


def main():
    print('seed', SEED)
    r = random.Random(SEED)
    batches = [list(all_inputs(r, keep)) for keep in (False, True)]
    calls = [random_call(r) for _ in range(COUNT)]
    batches += [calls[i:i + 50] for i in range(0, len(calls), 50)]
    passed = failed = 0
    for k, batch in enumerate(batches):
        bad = compare(TIKC, batch, RUN, SOCS[k // 2 % 2])
        failed += len(bad)
        passed += len(batch) * len(RUN) - len(bad)
        for call, backend, what in bad[:3]:
            told = vars(call) if call else {}
            print(f'FAIL batch {k} ({backend}): {what} { {n: told[n] for n in ("mask", "repeats", "blk", "rep", "unit", "old", "keep") if n in told} }')
    print(f'{passed} passed, {failed} failed')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
