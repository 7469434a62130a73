#!/usr/bin/python3
"""Random programs on tensors in lanes: layouts, views, moves between global memory, SMEM and LMEM with transposes and
broadcasts, and arithmetic, on the numpy model (lmem_model.py), the host back end and the emulator.

usage: lmem_random.py [--programs N] [--match TARGET]

A program has a few tensors in LMEM at addresses of their own and a chain of steps on them; at its end every byte of
all lanes is compared, and every output. TIKC_SEED: first seed (1), LMEM_PROGRAMS: programs. Ends with
'N passed, N failed', where a test is one step on one back end.
"""
import argparse
import concurrent.futures
import os
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import lmem_model as model  # noqa: E402
from lmem_run import run, same_bits  # noqa: E402

BACKENDS = (['--backend', 'host'], ['--backend', 'emu'])
STEPS = 14
TENSORS = 5
LAYOUTS = ('aligned', 'compact', 'row_aligned', 'free')
NARROW = ('cv183x', 'cv181x', 'cv180x')   # 8 bits and bfloat16 only


def random_array(r, dtype, shape):
    """All patterns of integers; of floats numbers of all sizes, with infinities and NaN."""
    size = model.SIZES[dtype]
    bits = r.integers(0, 256, int(np.prod(shape)) * size, np.uint8).view(model.NUMPY[dtype])
    if dtype in ('float16', 'float32') and r.random() < 0.7:
        bits = (r.standard_normal(bits.shape) * 10.0 ** r.integers(-3, 4)).astype(dtype)
    return bits.reshape(shape)


class Program:
    """One program: its text, what memory holds, its inputs and outputs."""

    def __init__(self, seed, target):
        self.r = np.random.default_rng(seed)
        self.target = target
        self.lanes, self.eu, self.size, _ = model.TARGETS[target]
        dtypes = ('uint8', 'int8', 'bfloat16') if target in NARROW else tuple(model.SIZES)
        if target == 'bm1684':
            dtypes = tuple(t for t in dtypes if t != 'bfloat16')
        self.dtype = dtypes[self.r.integers(len(dtypes))]
        self.memory = model.Memory(target)
        self.lines, self.inputs, self.outputs = [], {}, {}
        self.top = 0
        self.smem = 4096   # bytes that the smallest one has left
        self.tensors = []
        self.steps = 0

    def pick(self, n):
        return int(self.r.integers(n))

    def shape(self):
        c = (1, 2, self.lanes - 1, self.lanes, self.lanes + 1, 3, 2 * self.lanes + 3)[self.pick(7)]
        return (1 + self.pick(3), max(1, c), 1 + self.pick(4), (1, 2, 3, 7, 16, 33)[self.pick(6)])

    def declare(self, shape, layout=None, lane=None):
        """A tensor in LMEM after the others; None: it does not fit."""
        layout = layout or LAYOUTS[self.pick(4)]
        lane = self.pick(self.lanes) if lane is None else lane
        stride = None
        if layout == 'free':   # nested in a random order of axes, with gaps
            stride, room = [0] * 4, 1
            slots = -(-(lane + shape[1]) // self.lanes)
            for axis in self.r.permutation(4):
                stride[axis] = room + self.pick(3)
                room = stride[axis] * (slots if axis == 1 else shape[axis]) + self.pick(3)
        t = model.Tensor(self.target, self.dtype, shape, layout, lane, stride, model.up(self.top, self.eu))
        if t.base + t.bytes() > self.size or (stride and max(stride) * model.SIZES[self.dtype] > 1 << 18):
            return None
        name = f'x{len(self.tensors)}'
        extra = f', stride={tuple(int(s) for s in stride)}' if stride else ''
        self.lines.append(f'{name} = t.Tensor("{self.dtype}", {tuple(shape)}, name="{name}", scope=tik.scope_lmem, '
                          f'layout="{layout}", lane={lane}, addr={t.base}{extra})')
        self.top = t.base + t.bytes()
        self.tensors.append((name, t))
        return name, t

    def linear(self, scope, shape):
        name = f'{scope[0]}{len(self.lines)}'
        self.lines.append(f'{name} = t.Tensor("{self.dtype}", {tuple(shape)}, name="{name}", scope=tik.scope_{scope})')
        return name

    def given(self, shape):
        name, a = self.linear('gm', shape), random_array(self.r, self.dtype, shape)
        self.inputs[name] = a
        return name, a

    def part(self):
        """A tensor or a view of one: its text and the view."""
        name, t = self.tensors[self.pick(len(self.tensors))]
        if self.r.random() < 0.5:
            return name, t
        box = []
        for n in t.shape:
            lo = self.pick(n) if self.r.random() < 0.6 else 0
            box.append((lo, lo + 1 + self.pick(n - lo) if self.r.random() < 0.6 else n))
        words = ', '.join(f'{a}=({lo}, {hi})' for a, (lo, hi) in zip('nchw', box))
        return f'{name}.view({words})', t.view(box)

    def widths(self, *tensors):
        """Whether the stride of w is one that moves have."""
        return self.target in NARROW + ('bm1684',) or all(
            0 < t.stride[3] * model.SIZES[self.dtype] <= 128 for t in tensors)

    def reshaped(self, shape):
        """Another shape of as many elements."""
        shape = list(shape)
        a, b = self.r.permutation(4)[:2]
        for k in (2, 3, 5, 7):
            if shape[a] % k == 0 and self.r.random() < 0.5:
                shape[a] //= k
                shape[b] *= k
        return tuple(shape)

    # ---- steps: each adds its line and does its work; false: not possible now -----------------------------------

    def move_in(self):
        text, x = self.part()
        way = self.pick(4)
        shape = {0: x.shape, 1: (x.shape[1], x.shape[0]) + x.shape[2:],
                 2: (x.shape[0], x.shape[3], x.shape[2], x.shape[1]), 3: (x.shape[0], 1) + x.shape[2:]}[way]
        if not self.widths(x) or (way == 3 and x.lane + x.shape[1] > self.lanes):
            return False
        shape = self.reshaped(shape) if way == 0 else shape
        name, a = self.given(shape)
        if self.r.random() < 0.3 and not self.target.startswith('cv') and self.smem >= np.prod(shape) * 4 + 64:
            self.smem -= np.prod(shape) * 4 + 64
            smem = self.linear('smem', shape)
            self.lines.append(f't.data_move({smem}, {name})')
            name = smem
        how = {0: '', 1: ', trans="NC"', 2: ', trans="CW"', 3: ', bcast=True'}[way]
        self.lines.append(f't.data_move({text}, {name}{how})')
        self.memory.store(x, model.moved(a, x.shape, *((None,), ('NC',), ('CW',), (None, True))[way]))
        return True

    def move_out(self):
        text, x = self.part()
        if not self.widths(x):
            return False
        way = self.pick(3)
        a = self.memory.load(x)
        out = model.moved(a, self.reshaped(x.shape), (None, 'NC', 'CW')[way])
        name = self.linear('gm', out.shape)
        self.outputs[name] = np.ascontiguousarray(out)
        how = ('', ', trans="NC"', ', trans="CW"')[way]
        self.lines.append(f't.data_move({name}, {text}{how})')
        return True

    def move_across(self):
        (a, x), (b, y) = self.part(), self.part()
        if a.split('.')[0] == b.split('.')[0] or not self.widths(x, y):
            return False
        if np.prod(x.shape) != np.prod(y.shape):   # the part that both have
            common = [(0, min(m, n)) for m, n in zip(x.shape, y.shape)]
            words = ', '.join(f'{k}=({lo}, {hi})' for k, (lo, hi) in zip('nchw', common))
            a, x, b, y = f'{a}.view({words})', x.view(common), f'{b}.view({words})', y.view(common)
        self.lines.append(f't.data_move({a}, {b})')
        self.memory.store(x, model.moved(self.memory.load(y), x.shape))
        return True

    def arithmetic(self):
        (a, x), op = self.part(), ('add', 'sub', 'mul', 'max', 'min')[self.pick(5)]
        same = [(n, t) for n, t in self.tensors if t.lane == x.lane]
        if x.layout not in ('aligned', 'free') or not same:
            return False
        first = (a, x) if self.r.random() < 0.4 else self.source(a, x, same)
        if first is None:
            return False
        values = self.memory.load(first[1])
        if self.r.random() < 0.3:
            number = self.pick(100) if self.dtype.startswith(('u', 'i')) else float(self.pick(64)) / 4 - 8
            text, second = str(number), np.full((1, 1, 1, 1), number, np.float64)
            second = model.from_exact(second, 'bfloat16') if self.dtype == 'bfloat16' else \
                second.astype(model.NUMPY[self.dtype])
        else:
            other = self.source(a, x, same)
            if other is None:
                return False
            text, second = other[0], self.memory.load(other[1])
            if self.r.random() < 0.4:
                spread = ''.join(k for i, k in zip((0, 2, 3), 'nhw') if other[1].shape[i] == 1)
                text += f'.bcast("{spread}")' if spread else ''
        if first[1].shape != x.shape or (second.shape != x.shape and 'view' in text and 'bcast' not in text):
            return False
        self.lines.append(f't.lane_{op}({a}, {first[0]}, {text})')
        self.memory.store(x, model.arithmetic(op, values, second, self.dtype))
        return True

    def source(self, a, x, same):
        """A part of another tensor that starts in the lane of x and fits its shape, or has one element along an axis."""
        name, t = same[self.pick(len(same))]
        box = [(0, n) if self.r.random() < 0.8 else (0, 1) for n in x.shape]
        box[1] = (0, x.shape[1])
        if name == a.split('.')[0] or any(hi > n for (_, hi), n in zip(box, t.shape)):
            return None
        words = ', '.join(f'{k}=({lo}, {hi})' for k, (lo, hi) in zip('nchw', box))
        v = t.view(box)
        return (f'{name}.view({words})', v) if v.layout in ('aligned', 'free') else None

    # ---- the whole -------------------------------------------------------------------------------------------------

    def make(self):
        base = self.shape()
        while base[0] * -(-(self.lanes + base[1]) // self.lanes) * base[2] * base[3] * 8 * TENSORS > self.size:
            base = tuple(max(1, n // 2) for n in base)
        lane = self.pick(self.lanes) if self.r.random() < 0.7 else None
        for i in range(TENSORS):
            shape = base if i < 3 or self.r.random() < 0.5 else self.reshaped(base)
            self.declare(shape, None if self.r.random() < 0.5 else 'aligned', lane)
        tries = 0
        while self.steps < STEPS and tries < 30 * STEPS and self.tensors:
            tries += 1
            step = (self.move_in, self.move_in, self.move_out, self.move_across, self.arithmetic,
                    self.arithmetic)[self.pick(6)]
            self.steps += bool(step())
        return self.text()

    def text(self):
        """The steps in a scope of their own, and after it all lanes up to the last byte that a tensor has."""
        width = max(1, self.top)
        dump = (1, self.lanes, 1, width) if width < 4000 else (1, self.lanes, -(-width // 2000), 2000)
        self.outputs['lanes'] = self.memory.data[:, :dump[2] * dump[3]].reshape(dump)
        gm = [line for line in self.lines if 'scope=tik.scope_gm' in line]
        body = [line for line in self.lines if 'scope=tik.scope_gm' not in line]
        outs = [n for n in self.outputs if n != 'lanes']
        return '\n'.join(
            ['from tbe import tik', f't = tik.Tik(tik.Dprofile("{self.target}"))', *gm,
             f'lanes = t.Tensor("uint8", {dump}, name="lanes", scope=tik.scope_gm)',
             'with t.new_stmt_scope():', *('    ' + line for line in body or ['pass']),
             'with t.new_stmt_scope():',
             f'    raw = t.Tensor("uint8", {dump}, name="raw", scope=tik.scope_lmem, layout="compact", addr=0)',
             '    t.data_move(lanes, raw)',
             f't.BuildCCE(kernel_name="k", inputs=[{", ".join(self.inputs)}], outputs=[{", ".join(outs + ["lanes"])}])',
             ''])


def one(seed, targets):
    """Steps, and what went wrong."""
    p = Program(seed, targets[seed % len(targets)])
    text = p.make()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for backend in BACKENDS:
            got, said = run(folder, text, p.inputs, list(p.outputs), backend)
            if got is None:
                bad.append(f'seed {seed} {backend[1]}: {said}\n{text}')
                continue
            wrong = [n for n, a in p.outputs.items() if not same_bits(got[n], a)]
            if wrong:
                bad.append(f'seed {seed} {backend[1]}: other bits in {wrong}\n{text}')
    return p.steps * len(BACKENDS), bad


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--programs', type=int, default=int(os.environ.get('LMEM_PROGRAMS', 40)))
    ap.add_argument('--match', default='')
    a = ap.parse_args()
    targets = [t for t in model.TARGETS if a.match in t]
    first = int(os.environ.get('TIKC_SEED', 1))
    steps, bad = 0, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for n, wrong in pool.map(lambda s: one(s, targets), range(first, first + a.programs)):
            steps += n
            bad += wrong
    print('\n'.join(bad[:3]))
    print(f'{steps - len(bad)} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
