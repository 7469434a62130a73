#!/usr/bin/python3
"""set_deq_scale with cast and cast_dequant (the spellings that Ascend C has, cube-quant 13) on both back ends against the
model of this file: every int16 with the ends of scales and offsets, and random calls of all forms.

usage: cast_random.py. TIKC_SEED chooses the seed, TIKC_VECTORS the number of random calls. Prints the seed; ends with
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
SOCS = ('Ascend310P3', 'Ascend910B1')
TILE = 8192   # elements: all int16 in eight parts
ENDS = [(1.0, 0), (0.1, -256), (-0.37, 255), (1e-3, 17), (3.0e38, -1), (1.00048828125, 1)]


# ---- the model ---------------------------------------------------------------------------------------------

def dequant(x, scale, offset, signed):
    """int16 by a float32 of which 10 fraction bits count; scale and offset: arrays of the size of x, or one each."""
    m = (np.asarray(scale, np.float32).view(np.uint32) & np.uint32(0xffffe000)).view(np.float32)
    with np.errstate(all='ignore'):
        p = (x.astype(np.float32) * m).astype(np.float64)
    q = np.clip(np.rint(np.where(np.isnan(p), 0, p)), -256, 255).astype(np.int64)
    lo, hi = (-128, 127) if signed else (0, 255)
    return np.clip(q + offset, lo, hi).astype(np.int64).astype(np.uint8)


def scaled(x, half):
    """int32 by a float16: one rounding of the exact product, saturated; no number gives 0."""
    with np.errstate(all='ignore'):
        p = x.astype(np.float64) * float(np.uint16(half).view(np.float16))
    p = np.clip(np.where(np.isnan(p), 0.0, p), -65504, 65504)
    return p.astype(np.float16).view(np.uint8)


# ---- calls ---------------------------------------------------------------------------------------------------

class Lanes:
    """Which elements a call takes: the first n, or those of repeats with a mask and strides."""

    def __init__(self, r, lanes, n):
        self.counted, self.n, self.lanes = r.random() < 0.5, n, lanes
        self.mask, self.repeats = r.randint(1, lanes), max(1, n // lanes)

    def elements(self):
        """Indices of source elements in blocks of a repeat that lie after one another."""
        if self.counted:
            return np.arange(self.n)
        return np.concatenate([r * self.lanes + np.arange(self.mask) for r in range(self.repeats)])

    def text(self, src_blocks, dst_blocks):
        if self.counted:
            return str(self.n)
        return f'{self.mask}, {self.repeats}, tik.UnaryRepeatParams(1, 1, {dst_blocks}, {src_blocks})'


def number(r, lines, memory, name, value, dtype):
    """The value as text: a literal, or a Scalar that the run loads."""
    bits = {'float16': np.uint16, 'float32': np.uint32, 'int32': np.int32}[dtype]
    if dtype == 'int32':
        plain, shown = True, str(int(value))
    else:
        number = float(bits(value).view(dtype))
        plain, shown = np.isfinite(number), repr(number)
    if plain and r.random() < 0.6:
        return shown
    load(lines, memory, name, np.asarray([value], bits))
    lines += [f'{name}s = t.Scalar("{dtype}")', f'{name}s.set_as({name}.reinterpret_cast_to("{dtype}")[0])']
    return name + 's'


class Call:
    """One set_deq_scale and one conversion, which may stand in a loop of its own. The attributes of quant_program.Step."""

    def __init__(self, r, src, before, lanes):
        self.src, self.before, self.lanes, self.r, self.move = src, before.view(np.uint8), lanes, r, self
        self.loop = r.random() < 0.3

    def lines(self, memory, i, out):
        lines, n = [], -(-len(self.before) // 32) * 32
        load(lines, memory, f'src{i}', self.src)
        load(lines, memory, f'dst{i}', self.before)
        call = self.call(lines, memory, i, f'dst{i}.reinterpret_cast_to("{self.dst}")',
                         f'src{i}.reinterpret_cast_to("{self.src.dtype}")')
        if self.loop:
            lines.append(f'with t.for_range(0, 1) as loop{i}:')
        lines.append('    ' * self.loop + call)
        lines.append(f't.data_move(out[{out}], dst{i}, 0, 1, {n // 32}, 0, 0)')
        return lines, n


class Half(Call):
    dst = 'float16'

    def __init__(self, r, g):
        n = r.randint(1, 700)
        x = np.where(g.random(n + 64) < 0.5, g.integers(-70000, 70000, n + 64), g.integers(-2**31, 2**31, n + 64))
        super().__init__(r, x.astype(np.int32), g.integers(0, 65536, n + 64).astype(np.uint16), Lanes(r, 64, n))
        self.half = r.choice([0, 0x8000, 1, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x03ff]) if r.random() < 0.2 else r.getrandbits(16)

    def call(self, lines, memory, i, dst, src):
        lines.append(f't.set_deq_scale({number(self.r, lines, memory, f"s{i}", self.half, "float16")})')
        return f't.cast({dst}, {src}, tik.RoundMode.CAST_NONE, {self.lanes.text(8, 4)})'

    def expected(self):
        out, at = self.before.copy().view(np.uint16), self.lanes.elements()
        out[at] = scaled(self.src[at], self.half).view(np.uint16)
        return out.view(np.uint8)


class Dequant(Call):
    """packs: lists of 16 scales (bits), offsets and signs, or one of each."""

    def __init__(self, r, x, lanes, packs, before):
        super().__init__(r, x, before, lanes)
        self.packs, self.vector = packs, len(packs[0]) > 1
        self.dst = 'int8' if packs[2][0] else 'uint8'
        self.high, self.name = r.random() < 0.5, r.choice(['cast_deq', 'cast_dequant'])

    def call(self, lines, memory, i, dst, src):
        r = self.r
        words = [[number(r, lines, memory, f's{i}_{k}', v, 'float32') for k, v in enumerate(self.packs[0])],
                 [number(r, lines, memory, f'o{i}_{k}', v, 'int32') for k, v in enumerate(self.packs[1])]]
        signs = [str(bool(s)) for s in self.packs[2]]
        if self.vector:
            lines.append(f'w{i} = t.Tensor("uint64", (16,), name="w{i}", scope=tik.scope_ubuf)')
            lists = ', '.join('[' + ', '.join(w) + ']' for w in words + [signs])
            lines.append(f't.set_deq_scale(w{i}, tik.VdeqInfo({lists}))')
        else:
            lines.append(f't.set_deq_scale({words[0][0]}, {words[1][0]}, {signs[0]})')
        return f't.{self.name}({dst}, {src}, {self.lanes.text(8, 8)}, {self.vector}, {self.high})'

    def expected(self):
        out, at = self.before.copy(), self.lanes.elements()
        channel = at % 16 if self.vector else at * 0
        scale, offset = np.array(self.packs[0], np.uint32)[channel], np.array(self.packs[1])[channel]
        out[at // 16 * 32 + 16 * self.high + at % 16] = dequant(self.src[at], scale.view(np.float32), offset, self.packs[2][0])
        return out


def random_scale(r):
    if r.random() < 0.15:
        return r.choice([0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x00800000, 0x7f7fffff])
    return int((np.float32(2.0 ** r.randint(-16, 6)) * np.float32(r.choice((1, -1)) * (1 + r.random()))).view(np.uint32))


def random_dequant(r, g):
    k = 16 if r.random() < 0.5 else 1
    packs = [[random_scale(r) for _ in range(k)], [r.randint(-256, 255) for _ in range(k)], [r.randint(0, 1)] * k]
    n = r.randint(1, 700)
    room = -(-n // 128) * 128
    x = g.integers(-32768, 32768, room).astype(np.int16)
    return Dequant(r, x, Lanes(r, 128, n), packs, g.integers(0, 256, 2 * room).astype(np.uint8))


def all_inputs(r, scale, offset, signed):
    """Every int16, in parts that fit on the core."""
    for part in range(65536 // TILE):
        x = np.arange(part * TILE, (part + 1) * TILE).astype(np.uint16).view(np.int16)
        lanes = Lanes(r, 128, TILE)
        lanes.counted = True
        bits = int(np.float32(scale).view(np.uint32))
        yield Dequant(r, x, lanes, [[bits], [offset], [signed]], np.zeros(2 * TILE, np.uint8))


def main():
    print('seed', SEED)
    r = random.Random(SEED)
    g = np.random.default_rng(SEED)
    batches = [list(all_inputs(r, scale, offset, k % 2)) for k, (scale, offset) in enumerate(ENDS)]
    calls = [Half(r, g) if r.random() < 0.4 else random_dequant(r, g) for _ in range(COUNT)]
    batches += [calls[i:i + 50] for i in range(0, len(calls), 50)]
    passed = failed = 0
    for k, batch in enumerate(batches):
        bad = compare(TIKC, batch, RUN, SOCS[k % 2])
        failed += len(bad)
        passed += len(batch) * len(RUN) - len(bad)
        for step, backend, what in bad[:3]:
            print(f'FAIL batch {k} ({backend}): {what} {vars(step) if step else ""}')
    print(f'{passed} passed, {failed} failed')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
