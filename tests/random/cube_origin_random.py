#!/usr/bin/python3
"""Random products of matrices whose factors come out of global memory by all kinds of moves: rows to columns of fractals,
packed factors, columns that are rows, fractals that are loaded step by step, transposed or not. The host back end reads
most of them where the moves took them from; it must agree with itself without that, and with the emulator.

usage: cube_origin_random.py. TIKC_SEED chooses the seed, TIKC_PROGRAMS the number of kernels. Prints the seed; ends with
'N passed, N failed'."""
import collections
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa

SEED = int(os.environ.get('TIKC_SEED', '20261123'))
COUNT = int(os.environ.get('TIKC_PROGRAMS', '60'))
RUNS = (['--backend', 'emu'], ['--backend', 'host', '--threads', '1', '--verify-each'],
        ['--backend', 'host', '--disable', 'origin'])


def up(a, b):
    return (a + b - 1) // b * b


class Case:
    """The sizes of a kernel and the layouts of its factors."""

    def __init__(self, r):
        self.half = r.random() < 0.6
        self.t, self.sum, self.c0 = ('float16', 'float32', 16) if self.half else ('int8', 'int32', 32)
        self.m = r.choice([1, 16, 20, 32, 48, 100, 130])
        self.n = r.choice([16, 32, 48, 80, 24, 10])
        self.k = r.choice([1, 2, 3, 5, 9]) * self.c0 - r.choice([0, 0, 0, 3])
        self.runs = up(self.k, self.c0) // self.c0
        self.rows, self.columns, self.terms = up(self.m, 16), up(self.n, 16), self.runs * self.c0
        self.cores = r.choice([1, 2])
        self.transposed = self.half and self.m > 1 and r.random() < 0.5
        self.unit = self.transposed or (self.m > 1 and r.random() < 0.6)
        steps = [s for s in range(1, self.runs + 1) if self.runs % s == 0]
        self.step = self.runs if self.k % self.c0 else r.choice(steps)
        self.first = r.random() < 0.5
        self.a_row = self.terms + self.c0 * r.randrange(3)
        self.b_form = 'terms' if self.transposed else r.choice(['packed', 'columns'])
        self.again = self.runs > 1 and r.random() < 0.2
        self.b_row = self.cores * self.columns + 16 * r.randrange(3)
        if self.b_form == 'columns':
            self.b_row = self.terms + self.c0 * r.randrange(2)

    def b_shape(self):
        return {'terms': (self.terms, self.b_row), 'packed': (self.runs, self.b_row, self.c0),
                'columns': (self.cores * self.columns, self.b_row)}[self.b_form]


def core(c, by):
    return f'(int64(@i) * {by})' if c.cores > 1 else '0'


def burst(c, dst, src, at, bursts, gap, length=1):
    return (f'data_move dst={dst}:{c.t} src={src}+{at}:{c.t} sid=0 nburst={bursts} burst={length} src_stride={gap} '
            'dst_stride=0 mode=0')


def move_b(c):
    size = 32 // c.c0
    if c.b_form == 'terms':
        at = f'((int64(@j) * 32) + {core(c, c.columns * 2)})'
        return [f'for @j: int32 = 0 to {c.columns // 16} {{',
                burst(c, f'%bl+(int64(@j) * {c.terms * 32})', '%b', at, c.terms, c.b_row // 16 - 1), '}']
    if c.b_form == 'packed':
        return [burst(c, '%bl+0', '%b', core(c, c.columns * 32), c.runs, c.b_row - c.columns, c.columns)]
    at = f'((int64(@j) * 32) + {core(c, c.columns * c.b_row * size)})'
    return [f'for @j: int32 = 0 to {c.runs} {{',
            burst(c, f'%bl+(int64(@j) * {c.columns * 32})', '%b', at, c.columns, c.b_row // c.c0 - 1), '}']


def load(c, dst, src, start, repeat, stride, transposed=0):
    return (f'load2dv2 dst={dst}:{c.t} src={src}+0:{c.t} start_index={start} repeat_times={repeat} dst_gap=0 '
            f'src_stride={stride} sid=0 if_transpose={transposed} addr_mode=0')


def unit_steps(c):
    r1, n1 = c.rows // 16, c.columns // 16
    k = c.k if c.step == c.runs else c.step * c.c0
    b = (load(c, f'%b0+(int64(@j) * {c.columns * 32})', '%bl', f'((@s * {c.step}) + @j)', n1, c.terms // 16, 1)
         if c.transposed else
         load(c, f'%b0+(int64(@j) * {c.columns * 32})', '%bl', f'((@s * {c.step * n1}) + (@j * {n1}))', n1, 1))
    mmad = (f'mmad dst_fm=%c+0:{c.sum} src_fm=%a0+0:{c.t} src_filter=%b0+0:{c.t} matrix_m={c.m} matrix_k={k} '
            f'matrix_n={c.n} is_bias=')
    return [f'for @s: int32 = 0 to {c.runs // c.step} {{',
            f'alloc %a0: {c.t}[{c.rows * c.step * c.c0}] L0A', f'alloc %b0: {c.t}[{c.columns * c.step * c.c0}] L0B',
            f'for @j: int32 = 0 to {r1} {{',
            load(c, f'%a0+(int64(@j) * {c.step * 512})', '%al', f'((@s * {c.step * r1}) + @j)', c.step, r1), '}',
            f'for @j: int32 = 0 to {c.step} {{', b, '}',
            *(['if (@s == 0) {', mmad + '0', '} else {', mmad + '1', '}'] if c.first else
              ['if (@s > 0) {', mmad + '1', '} else {', mmad + '0', '}']), '}']


def twice(c, products):
    """A scope of the loop gives the first factor other bytes for its second iteration."""
    return ['for @o: int32 = 0 to 2 {', *products, 'scope {', burst(c, '%al+0', '%a', '32', c.rows, c.a_row // c.c0 - 1), '}', '}']


def kernel(c):
    elems = c.rows * c.columns
    text = ['kernel k soc=Ascend310P3 {', f'in %a: {c.t}[{c.rows}, {c.a_row}]',
            f'in %b: {c.t}[{", ".join(map(str, c.b_shape()))}]', f'out %y: {c.sum}[{c.cores}, {elems}]']
    text += [f'for @i: int32 = 0 to {c.cores} block_num={c.cores} {{'] if c.cores > 1 else []
    text += [f'alloc %al: {c.t}[{c.runs}, {c.rows}, {c.c0}] L1', f'alloc %bl: {c.t}[{c.terms * c.columns}] L1',
             f'alloc %c: {c.sum}[{elems}] L0C', f'alloc %u: {c.sum}[{elems}] UB', f'for @j: int32 = 0 to {c.runs} {{',
             burst(c, f'%al+(int64(@j) * {c.rows * 32})', '%a', '(int64(@j) * 32)', c.rows, c.a_row // c.c0 - 1), '}']
    text += move_b(c)
    products = unit_steps(c) if c.unit else [f'matmul dst=%c+0:{c.sum} a=%al+0:{c.t} b=%bl+0:{c.t} m={c.m} k={c.k} n={c.n} '
                                          'init_l1out=1']
    text += twice(c, products) if c.again else products
    text += [f'tensor_mov dst=%u+0:{c.sum} src=%c+0:{c.sum} block_mode=0 nburst=1 burst_len={elems // 256} dst_stride=0 '
             'src_stride=0 deqscale=0 deq_mode=0 sid_store_mode=0 relu=0',
             f'data_move dst=%y+{core(c, elems * 4)}:{c.sum} src=%u+0:{c.sum} sid=0 nburst=1 burst={elems // 8} '
             'src_stride=0 dst_stride=0 mode=0']
    return '\n'.join(text + ['}'] * (2 if c.cores > 1 else 1)) + '\n'


def fill(c, shape, r, g):
    if not c.half:
        return g.integers(-128, 128, shape).astype('int8')
    x = (g.standard_normal(shape) * 4).astype('float16')
    if r.random() < 0.3:
        x.flat[g.integers(0, x.size, 3)] = [np.inf, -np.inf, np.nan]
    return x


def run(seed, folder):
    """Returns whether all agree, whether both factors are read where they are, and whether the sums of several products stay
    in registers."""
    r, g = random.Random(seed), np.random.default_rng(seed)
    c = Case(r)
    path = lambda name: os.path.join(folder, name)
    with open(path('k.ir'), 'w', encoding='ascii') as f:
        f.write(kernel(c))
    np.save(path('a.npy'), fill(c, (c.rows, c.a_row), r, g))
    np.save(path('b.npy'), fill(c, c.b_shape(), r, g))
    results = []
    for args in RUNS:
        p = subprocess.run([TIKC, 'run', path('k.ir'), '--in', 'a=' + path('a.npy'), '--in', 'b=' + path('b.npy'),
                            '--out', 'y=' + path('y.npy'), *args], capture_output=True, text=True, check=False)
        if p.returncode != 0:
            print(p.stderr)
            return False, False, False
        results.append(np.load(path('y.npy')).tobytes())
    ir = subprocess.run([TIKC, 'build', path('k.ir'), '--emit', 'host-ir', '-o', '-'], capture_output=True, text=True,
                        check=False).stdout
    return results[0] == results[1] == results[2], ' first=' in ir and ' second=' in ir, ' parts=' in ir


def main():
    print(f'seed {SEED}')
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(COUNT):
            same, found, parts = run(SEED * 1000003 + i, folder)
            counts['passed' if same else 'failed'] += 1
            counts['found'] += found
            counts['parts'] += parts
            if not same:
                print(f'kernel {i} differs')
    if counts['found'] < COUNT // 2 or counts['parts'] < COUNT // 10:
        counts['failed'] += 1
    print(f'{counts["found"]} kernels read both factors where they are, {counts["parts"]} add products in registers')
    print(f'{counts["passed"]} passed, {counts["failed"]} failed')
    return 1 if counts['failed'] or not counts['passed'] else 0


if __name__ == '__main__':
    sys.exit(main())
