#!/usr/bin/python3
"""Random products of matrices whose sums are converted on their way out of L0C in all ways, rectified or not, and brought to
global memory as rows or as they are; some have readers of tiles that must then stay. The host back end does most of that
while it makes the sums; it must agree with itself without that, and with the emulator.

usage: cube_finish_random.py. TIKC_SEED chooses the seed, TIKC_PROGRAMS the number of kernels. Prints the seed; ends with
'N passed, N failed'."""
import collections
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import cube_origin_random as cube  # noqa: E402
from cube_origin_random import TIKC, core, up  # noqa: E402

SEED = int(os.environ.get('TIKC_SEED', '20261124'))
COUNT = int(os.environ.get('TIKC_PROGRAMS', '80'))
RUNS = (['--backend', 'emu'], ['--backend', 'host', '--threads', '1', '--verify-each'],
        ['--backend', 'host', '--threads', '2'], ['--backend', 'host', '--disable', 'finish'],
        ['--backend', 'host', '--cpu', 'x86-64-v3'])
NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 = range(7)
# The conversions of sums: the type of the results, the scale, whether there may be a relu.
FROM_INT = [('int32', NONE, True), ('int8', DEQ8, False), ('int8', DEQ8, False), ('int8', DEQ8, False), ('uint8', DEQ8, False),
            ('int8', VDEQ8, False), ('uint8', VDEQ8, False), ('float16', DEQ, False), ('float16', VDEQ, False),
            ('float16', DEQ16, True), ('float16', VDEQ16, True), ('int16', DEQ16, True), ('int16', VDEQ16, True)]
FROM_FLOAT = [('float32', NONE, True), ('float16', NONE, True), ('float16', NONE, True)]


class Case(cube.Case):
    def __init__(self, r):
        super().__init__(r)
        if r.random() < 0.5:             # large enough for the tile registers of some processors
            self.m, self.n, self.k = r.choice([64, 100, 192, 224]), r.choice([32, 64, 96, 160]), self.terms
            self.rows, self.columns = up(self.m, 16), up(self.n, 16)
            self.b_row = max(self.b_row, self.cores * self.columns)
            if self.b_form == 'columns':
                self.b_row = self.terms + self.c0 * r.randrange(2)
        if not self.unit and r.random() < 0.1:
            self.deepen()
        if self.rows * self.step * 32 > 65536 and self.unit:
            self.m, self.rows = 64, 64
        self.to, self.scale, may = r.choice(FROM_FLOAT if self.half else FROM_INT)
        self.size = np.dtype(self.to).itemsize
        self.relu = may and r.random() < 0.5
        self.groups = self.columns // 16
        self.vector = self.scale in (VDEQ, VDEQ8, VDEQ16)
        self.by_code = self.half and r.random() < 0.5
        self.sid = 2 if self.size == 1 and r.random() < 0.2 else 0
        self.one_move = r.random() < 0.5 and (self.size > 1 or self.sid == 2)
        self.rectify = self.to == 'int8' and self.sid == 0 and r.random() < 0.6
        self.as_rows = self.sid == 0 and r.random() < 0.7
        self.tiles = up(self.groups, 2) // 2 if self.size == 1 and self.sid == 0 else self.groups
        self.tile = self.rows * (32 if self.size == 1 and self.sid == 0 else 16 * self.size)   # bytes
        self.wide = 2 if self.size == 4 else 1          # blocks of a row of a tile
        self.pitch = self.tiles * self.wide + r.choice([0, 0, 1])
        self.stored = r.choice([self.m, self.m, self.rows, max(1, self.m - 3)])
        self.loop = r.random() < 0.5
        self.reader = r.random() < 0.15
        self.shift = self.scale in (DEQ16, VDEQ16) and (self.to == 'int16' or r.random() < 0.5)
        self.offset = r.randrange(-256, 256)
        self.steps = r.randrange(16)

    def deepen(self):
        """Takes more terms than a block of columns has room for when it is packed."""
        self.m, self.n, self.runs = 16, 16, 530
        self.rows, self.columns, self.terms = 16, 16, self.runs * self.c0
        self.k, self.step, self.a_row, self.again = self.terms, self.runs, self.terms, False
        self.b_row = self.terms if self.b_form == 'columns' else self.cores * self.columns

    def y_bytes(self):
        return self.stored * self.pitch * 32 if self.as_rows else self.tiles * self.tile


def words(c, g, n):
    """Parameters for n channels: words, or float16."""
    m = (g.standard_normal(n) * 0.01).astype('float32')
    if c.scale in (DEQ, VDEQ):
        return m.astype('float16')
    w = m.view('uint32').astype('uint64')
    w |= np.uint64(c.steps << 32)
    w |= np.uint64(int(c.shift) << 36)
    offsets = (c.offset + (g.integers(-5, 5, n) if c.vector else 0)) % 512
    if c.size == 1:
        w |= (offsets * np.ones(n)).astype('uint64') << np.uint64(37)
        w |= np.uint64(int(c.to == 'int8') << 46)
    return w


def move_out(c, word):
    """The moves out of L0C."""
    lines = []
    scale = '%wu' if c.vector else word
    name = 'tensor_mov.vector' if c.vector else 'tensor_mov'
    fractals = c.rows // 16
    if c.by_code:
        code = (2 if c.relu else 1) if c.to == 'float16' else (5 if c.relu else 0)
        at = lambda j: (j * c.tile, j * c.rows * 64)
        moves = [(0, 0, fractals * c.groups)] if c.one_move else [(*at(j), fractals) for j in range(c.groups)]
        return [f'data_move dst=%u+{d}:{c.to} src=%c+{s}:{c.sum} sid=0 nburst=1 burst={n} src_stride=0 dst_stride=0 mode={code}'
                for d, s, n in moves]
    kind = {VDEQ: 'float16', VDEQ8: 'uint64', VDEQ16: 'uint64'}.get(c.scale)
    text = lambda d, s, n, at, sid: (
        f'{name} dst=%u+{d}:{c.to} src=%c+{s}:{c.sum} block_mode=0 nburst={n} burst_len={fractals} dst_stride=0 src_stride=0 '
        f'deqscale={f"%wu+{at}:{kind}" if c.vector else scale} deq_mode={c.scale} sid_store_mode={sid} relu={int(c.relu)}')
    if c.one_move:
        return [text(0, 0, c.groups, 0, c.sid)]
    for j in range(c.groups):
        halves = c.size == 1 and c.sid == 0
        d = j // 2 * c.tile if halves else j * c.tile
        at = 0 if c.scale == VDEQ else j * 128
        lines.append(text(d, j * c.rows * 64, 1, at, j % 2 if halves else c.sid))
    return lines


def rectified(c, tile):
    if not c.rectify:
        return []
    n = c.tile // 128
    at, half = tile * c.tile, tile * c.tile * 2
    return [f'vec_conv mask=128 round_mode=0 dst=%h+{half}:float16 src=%u+{at}:int8 repeat_times={n} dst_rep_stride=8 '
            'src_rep_stride=4',
            f'vec_relu mask=128 dst=%h+{half}:float16 src=%h+{half}:float16 repeat_times={n} dst_rep_stride=8 src_rep_stride=8',
            f'vec_conv mask=128 round_mode=0 dst=%u+{at}:int8 src=%h+{half}:float16 repeat_times={n} dst_rep_stride=4 '
            'src_rep_stride=8']


def write_out(c):
    y = core(c, c.y_bytes())
    if not c.as_rows:
        lines = [line for j in range(c.tiles) for line in rectified(c, j)]
        return lines + [f'data_move dst=%y+{y}:{c.to} src=%u+0:{c.to} sid=0 nburst=1 burst={c.tiles * c.tile // 32} '
                        'src_stride=0 dst_stride=0 mode=0']
    text = lambda d, s: (f'data_move dst=%y+({y} + {d}):{c.to} src=%u+{s}:{c.to} sid=0 nburst={c.stored} burst={c.wide} '
                         f'src_stride=0 dst_stride={c.pitch - c.wide} mode=0')
    if c.loop and not c.rectify:
        return [f'for @t: int32 = 0 to {c.tiles} {{',
                text(f'(int64(@t) * {c.wide * 32})', f'(int64(@t) * {c.tile})'), '}']
    lines = []
    for j in range(c.tiles):
        lines += rectified(c, j) + [text(j * c.wide * 32, j * c.tile)]
    return lines


def kernel(c, word):
    bursts = c.groups * 16 if c.scale != VDEQ else 16
    kind = 'float16' if c.scale == VDEQ else 'uint64'
    text = ['kernel k soc=Ascend310P3 {', f'in %a: {c.t}[{c.rows}, {c.a_row}]',
            f'in %b: {c.t}[{", ".join(map(str, c.b_shape()))}]']
    text += [f'in %w: {kind}[{bursts}]'] if c.vector else []
    text += [f'out %y: {c.to}[{c.cores}, {c.y_bytes() // c.size}]', f'out %z: {c.to}[{c.cores}, {c.tile // c.size}]']
    text += [f'for @i: int32 = 0 to {c.cores} block_num={c.cores} {{'] if c.cores > 1 else []
    text += [f'alloc %al: {c.t}[{c.runs}, {c.rows}, {c.c0}] L1', f'alloc %bl: {c.t}[{c.terms * c.columns}] L1',
             f'alloc %c: {c.sum}[{c.rows * c.columns}] L0C', f'alloc %u: {c.to}[{c.tiles * c.tile // c.size}] UB']
    text += [f'alloc %h: float16[{c.tiles * c.tile}] UB'] if c.rectify else []
    if c.vector:
        text += [f'alloc %wu: {kind}[{bursts}] UB',
                 f'data_move dst=%wu+0:{kind} src=%w+0:{kind} sid=0 nburst=1 burst={bursts * (2 if c.scale == VDEQ else 8) // 32} '
                 'src_stride=0 dst_stride=0 mode=0']
    text += [f'for @j: int32 = 0 to {c.runs} {{',
             cube.burst(c, f'%al+(int64(@j) * {c.rows * 32})', '%a', '(int64(@j) * 32)', c.rows, c.a_row // c.c0 - 1), '}']
    text += cube.move_b(c)
    text += cube.unit_steps(c) if c.unit else [
        f'matmul dst=%c+0:{c.sum} a=%al+0:{c.t} b=%bl+0:{c.t} m={c.m} k={c.k} n={c.n} init_l1out=1']
    text += move_out(c, word) + write_out(c)
    text += ['}'] * (c.cores > 1)
    return '\n'.join(text) + '\n'


READER = ('data_move dst=%z+{at}:{to} src=%u+0:{to} sid=0 nburst=1 burst={n} src_stride=0 dst_stride=0 mode=0\n')


def whole_kernel(c, word):
    """A reader after all keeps the tile; without it there is no second output."""
    text = kernel(c, word)
    n = c.tile // 32
    at = core(c, c.tile)
    last = READER.format(at=at, to=c.to, n=n) if c.reader else ''
    if not c.reader:
        text = text.replace(f'out %z: {c.to}[{c.cores}, {c.tile // c.size}]\n', '')
    if c.cores > 1:
        return text[:-2] + last + '}\n}\n'
    return text + last + '}\n'


def run(seed, folder):
    """Returns whether all agree, and whether the product makes the results."""
    r, g = random.Random(seed), np.random.default_rng(seed)
    c = Case(r)
    path = lambda name: os.path.join(folder, name)
    scales = words(c, g, 1 if not c.vector else 16 if c.scale == VDEQ else 16 * c.groups)
    word = int(scales.view('uint16' if scales.dtype == np.float16 else 'uint64')[0]) if c.scale != NONE else 0
    with open(path('k.ir'), 'w', encoding='ascii') as f:
        f.write(whole_kernel(c, word))
    np.save(path('a.npy'), cube.fill(c, (c.rows, c.a_row), r, g))
    np.save(path('b.npy'), cube.fill(c, c.b_shape(), r, g))
    np.save(path('w.npy'), scales)
    results = []
    for args in RUNS:
        command = [TIKC, 'run', path('k.ir'), '--in', 'a=' + path('a.npy'), '--in', 'b=' + path('b.npy')]
        command += ['--in', 'w=' + path('w.npy')] if c.vector else []
        outs = ['y', 'z'] if c.reader else ['y']
        for name in outs:
            command += ['--out', f'{name}=' + path(name + '.npy')]
        p = subprocess.run(command + args, capture_output=True, text=True, check=False)
        if p.returncode != 0:
            print(p.stderr)
            return False, False
        results.append(b''.join(np.load(path(name + '.npy')).tobytes() for name in outs))
    ir = subprocess.run([TIKC, 'build', path('k.ir'), '--emit', 'host-ir', '-o', '-'], capture_output=True, text=True,
                        check=False).stdout
    return all(x == results[0] for x in results), 'finish drops' in ir


def main():
    print(f'seed {SEED}')
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(COUNT):
            same, found = run(SEED * 1000003 + i, folder)
            counts['passed' if same else 'failed'] += 1
            counts['found'] += found
            if not same:
                print(f'kernel {i} differs')
    if counts['found'] < COUNT // 5:
        counts['failed'] += 1
    print(f'{counts["found"]} products make their results')
    print(f'{counts["passed"]} passed, {counts["failed"]} failed')
    return 1 if counts['failed'] or not counts['passed'] else 0


if __name__ == '__main__':
    sys.exit(main())
