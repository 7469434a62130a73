#!/usr/bin/python3
"""Random moves of tensors in lanes whose elements are no addresses of bytes: elements of 4 bits (int4, uint4) in three
layouts, with slices of the linear side and views of the lanes, and cells of 32 bits (layout 'cells' of bm1684). Every
byte of all lanes and every output is compared with numpy, on both back ends.

usage: lmem_elements.py [--programs N]

The memory here counts in units of 4 bits, one array element each. TIKC_SEED: first seed (1), LMEM_ELEMENTS: programs
(40). Ends with 'N passed, N failed'."""
import argparse
import concurrent.futures
import os
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
from lmem_model import SIZES, TARGETS, up  # noqa: E402
from lmem_run import run  # noqa: E402

BACKENDS = (['--backend', 'host'], ['--backend', 'emu'])
AXES = 'nchw'


def apart(a):
    """The units of 4 bits of an array's bytes, in order."""
    raw = np.ascontiguousarray(a).view(np.uint8).ravel()
    return np.stack([raw & 15, raw >> 4], axis=1).ravel()


def together(units):
    u = np.append(units.ravel(), np.zeros(units.size % 2, np.uint8)).astype(np.uint8)
    return u[0::2] | u[1::2] << 4


class Lanes:
    """A tensor in lanes: where each element begins, in units of 4 bits."""

    def __init__(self, target, shape, units, layout, lane, base):
        self.shape, self.units = shape, units
        lanes, eu, _, _ = TARGETS[target]
        n, c, h, w = shape
        i = np.indices(shape)
        slot, slots = (lane + i[1]) // lanes, -(-(lane + c) // lanes)
        self.lane = (lane + i[1]) % lanes
        if layout == 'cells':       # rows of cells of 8 units
            group = 8 // units
            channel = up(h * w, eu // 4)
            cell = i[0] // group * slots * channel + slot * channel + i[2] * w + i[3]
            at, whole = cell * 8 + i[0] % group * units, -(-n // group) * slots * channel * 8
        else:
            line = 2 * eu // units  # elements of one row of the arithmetic units
            row = up(w, line) if layout == 'row_aligned' else w
            channel = up(h * row, line) if layout == 'aligned' else h * row
            at = ((i[0] * slots + slot) * channel + i[2] * row + i[3]) * units
            whole = n * slots * channel * units
        self.at, self.end = 2 * base + at, 2 * base + whole

    def put(self, memory, box, values):
        """values: units, in the order of the box's elements."""
        for k in range(self.units):
            memory[self.lane[box], self.at[box] + k] = values.reshape(self.at[box].shape + (self.units,))[..., k]

    def get(self, memory, box):
        return np.stack([memory[self.lane[box], self.at[box] + k] for k in range(self.units)], axis=-1).ravel()


class Program:
    def __init__(self, seed):
        r = self.r = np.random.default_rng(seed)
        self.cells = seed % 2 == 0
        self.target = 'bm1684' if self.cells else ('bm1684x', 'bm1688', 'bm1684x2', 'cv184x')[self.pick(4)]
        self.lanes = TARGETS[self.target][0]
        self.dtype = ('int8', 'uint8', 'float16', 'int16', 'int32')[self.pick(5)] if self.cells else \
            ('int4', 'uint4')[self.pick(2)]
        self.units = 2 * SIZES[self.dtype] if self.cells else 1
        self.layout = 'cells' if self.cells else ('aligned', 'compact', 'row_aligned')[self.pick(3)]
        self.shape = (1 + self.pick(9), (1, 3, self.lanes, self.lanes + 5)[self.pick(4)], 1 + self.pick(4), 1 + self.pick(9))
        self.a = [Lanes(self.target, self.shape, self.units, self.layout, self.pick(self.lanes), 0)]
        self.lane = [int(self.a[0].lane[0, 0, 0, 0])]
        second = self.pick(self.lanes)
        self.base = up(-(-self.a[0].end // 2), TARGETS[self.target][1])
        self.a.append(Lanes(self.target, self.shape, self.units, self.layout, second, self.base))
        self.lane.append(second)
        self.width = -(-self.a[1].end // 2)
        self.memory = np.zeros((self.lanes, 2 * self.width), np.uint8)
        self.inputs, self.outputs, self.lines = {}, {}, []

    def pick(self, n):
        return int(self.r.integers(n))

    def box(self, which):
        """A part of a tensor that may be viewed: text and slices."""
        bounds = []
        for axis, n in enumerate(self.shape):
            lo = self.pick(n) if self.r.random() < 0.5 else 0
            lo -= lo % (8 // self.units) if self.cells and axis == 0 else 0
            bounds.append((lo, lo + 1 + self.pick(n - lo)))
        box = tuple(slice(lo, hi) for lo, hi in bounds)
        first = self.a[which].at[tuple(lo for lo, _ in bounds)]
        if first % 2:
            return None
        return 'x%d.view(%s)' % (which, ', '.join(f'{k}=({lo}, {hi})' for k, (lo, hi) in zip(AXES, bounds))), box

    def linear(self, name, shape, array):
        """Declares it; array: units."""
        self.lines.insert(0, f'{name} = t.Tensor("{self.dtype}", {shape}, name="{name}", scope=tik.scope_gm)')
        return together(array) if not self.cells else together(array).view(self.dtype).reshape(shape)

    def part(self, units, which):
        """A move into a part of the lanes, from a slice of a larger linear tensor whose elements begin with a byte."""
        text, box = units
        inner = tuple(s.stop - s.start for s in box)
        outer = tuple(n + self.pick(3) for n in inner)
        start = [self.pick(o - n + 1) for o, n in zip(outer, inner)]
        flat = np.ravel_multi_index(start, outer)
        if flat % 2 and not self.cells:
            outer, start = inner, [0] * 4
        name = f'g{len(self.inputs)}'
        values = self.r.integers(0, 16, int(np.prod(outer)) * self.units).astype(np.uint8)
        self.inputs[name] = self.linear(name, outer, values)
        key = ', '.join(f'{s}:{s + n}' for s, n in zip(start, inner))
        self.lines.append(f't.data_move({text}, {name}[{key}])')
        taken = values.reshape(outer + (self.units,))[tuple(slice(s, s + n) for s, n in zip(start, inner))]
        self.a[which].put(self.memory, box, taken.ravel())

    def out(self, text, box, which):
        name = f'o{len(self.outputs)}'
        shape = tuple(s.stop - s.start for s in box)
        self.outputs[name] = self.linear(name, shape, self.a[which].get(self.memory, box))
        self.lines.append(f't.data_move({name}, {text})')

    def make(self):
        whole = tuple(slice(0, n) for n in self.shape)
        self.part(('x0', whole), 0)
        for _ in range(4):
            which = self.pick(2)
            got = self.box(which)
            if got is not None and self.r.random() < 0.6:
                self.part(got, which)
            elif got is not None:
                self.out(*got, which)
        self.lines.append('t.data_move(x1, x0)')
        self.a[1].put(self.memory, whole, self.a[0].get(self.memory, whole))
        self.out('x1', whole, 1)
        return self.text()

    def text(self):
        raw = (1, self.lanes, 1, self.width)
        self.outputs['raw'] = together(self.memory).reshape(raw)
        gm = [x for x in self.lines if 'scope_gm' in x]
        body = [x for x in self.lines if 'scope_gm' not in x]
        lanes = [f'x{i} = t.Tensor("{self.dtype}", {self.shape}, name="x{i}", scope=tik.scope_lmem, '
                 f'layout="{self.layout}", lane={self.lane[i]}, addr={(0, self.base)[i]})' for i in range(2)]
        outs = ', '.join(self.outputs)
        return '\n'.join(
            ['from tbe import tik', f't = tik.Tik(tik.Dprofile("{self.target}"))', *gm,
             f'raw = t.Tensor("uint8", {raw}, name="raw", scope=tik.scope_gm)',
             'with t.new_stmt_scope():', *('    ' + x for x in lanes + body), 'with t.new_stmt_scope():',
             f'    r = t.Tensor("uint8", {raw}, name="r", scope=tik.scope_lmem, layout="compact", addr=0)',
             '    t.data_move(raw, r)',
             f't.BuildCCE(kernel_name="k", inputs=[{", ".join(self.inputs)}], outputs=[{outs}])', ''])


def one(seed):
    p = Program(seed)
    text = p.make()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for backend in BACKENDS:
            got, said = run(folder, text, p.inputs, list(p.outputs), backend)
            wrong = [said] if got is None else [n for n, a in p.outputs.items() if got[n].tobytes() != a.tobytes()]
            if wrong:
                bad.append(f'seed {seed} {backend[1]}: {wrong}\n{text}')
    return len(BACKENDS), bad


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--programs', type=int, default=int(os.environ.get('LMEM_ELEMENTS', 40)))
    a = ap.parse_args()
    first = int(os.environ.get('TIKC_SEED', 1))
    done, bad = 0, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for n, wrong in pool.map(one, range(first, first + a.programs)):
            done += n
            bad += wrong
    print('\n'.join(bad[:2]))
    print(f'{done - len(bad)} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
