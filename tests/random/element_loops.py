#!/usr/bin/python3
"""Random loops over single elements: indices and elements that are loaded, Scalars that are set to sums and products, elements that are
stored, in loops of a static or a run-time length, some of them where an index leaves its tensor or is no multiple of the element, where a Scalar
goes from one iteration to the next, where what is stored is loaded again, and where two stores meet. The host as the passes leave them, as they are
written, and the emulator store the same bytes, or report the same fault and have stored the same bytes before it. TIKC_SEED and TIKC_KERNELS choose
the kernels."""
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from paths import TIKC  # noqa: E402

SEED = int(os.environ.get('TIKC_SEED', '1'))
KERNELS = int(os.environ.get('TIKC_KERNELS', '40'))
MOST = 96  # elements of a tile
DTYPES = ('float32', 'float16', 'int32', 'uint16', 'int8', 'uint8', 'int64')
INDICES = ('int32', 'int64', 'uint32', 'int16', 'uint16')


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.dtype = self.r.choice(DTYPES)
        self.index = self.r.choice(INDICES)
        self.scale = self.r.choice([1, 1, 1, 2, 3])
        self.begin = self.r.choice([0, 0, 0, 3])
        self.past = self.r.random() < 0.5  # some index may be outside
        self.lines, self.scalars = [], []
        self.numbers = ['r']  # what an offset may be made of: the variable and Scalars with small numbers
        self.values = []

    def scalar(self, dtype):
        self.scalars.append(dtype)
        return f's{len(self.scalars)}'

    def place(self, most):
        """An element of a tile with indices below `most`."""
        r = self.r
        x = r.choice(self.numbers)
        text = r.choice([x, x, x, f'{x} * {self.scale}', f'{x} + {r.randrange(4)}', f'{most - 1} - {x}', f'{r.choice(self.numbers)} + {x}', str(r.randrange(most))])
        return text

    def load_index(self):
        name = self.scalar(self.index)
        self.lines.append(f'{name}.set_as(ix[{self.r.choice(["r", "r", "r", "r + 1", "r * 2"])}])')
        self.numbers.append(name)

    def load(self):
        name = self.scalar(self.dtype)
        self.lines.append(f'{name}.set_as({self.r.choice("ab")}[{self.place(MOST)}])')
        self.values.append(name)

    def set(self):
        r = self.r
        name = self.scalar('int32')
        x, y = r.choice(self.numbers), r.choice(self.numbers)
        text = r.choice([f'{x} + 1', f'{x} + {y}', f'{x} * 2', f'{x} - {y}', f'{y} + 3 - {x}'])
        self.lines.append(f'{name}.set_as({text})')
        self.numbers.append(name)

    def set_narrow(self):
        """A number of 8 or 16 bits, whose sums may begin anew: the first element of the loop is one that is inside again."""
        dtype = self.r.choice(['uint8', 'uint8', 'int8', 'uint16', 'int16'])
        name = self.scalar(dtype)
        self.lines.append(f'{name}.set_as({self.r.choice(self.numbers)})')
        self.numbers.append(name)
        self.numbers.append(f'({name} + {self.r.choice([1, 2, 256 - self.begin, 253, 250, 128, 65533, 65536 - self.begin])})')

    def carry(self):
        self.lines.append('c.set_as(c + 1)')
        self.numbers.append('c')

    def store(self):
        tile = self.r.choice(['o', 'o', 'q', 'q', 'a'])
        value = self.r.choice(self.values) if self.values else str(self.r.randrange(5))
        self.lines.append(f'{tile}[{self.place(MOST)}].set_as({value})')

    def program(self):
        r = self.r
        for _ in range(r.randrange(1, 7)):
            r.choice([self.load_index, self.load_index, self.load, self.load, self.load, self.set, self.set_narrow] + ([self.carry] if r.random() < 0.2 else []))()
        for _ in range(r.choice([1, 1, 1, 2])):
            self.store()
        r.random() < 0.1 and self.load()
        bound = r.choice(['n', 'n', 'n', 'n', '16', '31'])
        block = {'float32': 8, 'int32': 8, 'float16': 16, 'uint16': 16, 'int8': 32, 'uint8': 32, 'int64': 4}[self.dtype]
        wide = {'int32': 8, 'uint32': 8, 'int64': 4, 'int16': 16, 'uint16': 16}[self.index]
        tile = [f'{x} = t.Tensor("{self.dtype}", (MOST,), name="{x}", scope=tik.scope_ubuf)' for x in 'aboq']
        lines = ['from tbe import tik', f'MOST = {MOST}', 't = tik.Tik()',
                 *[f'g{x} = t.Tensor("{self.dtype}", (MOST,), name="g{x}", scope=tik.scope_gm)' for x in 'ab'],
                 f'gi = t.Tensor("{self.index}", (MOST,), name="gi", scope=tik.scope_gm)', 'n = t.InputScalar("int32", name="n")',
                 f'y = t.Tensor("{self.dtype}", (2, MOST), name="y", scope=tik.scope_gm)', 'z = t.Tensor("int32", (8,), name="z", scope=tik.scope_gm)',
                 *tile, f'ix = t.Tensor("{self.index}", (MOST,), name="ix", scope=tik.scope_ubuf)', 'w = t.Tensor("int32", (8,), name="w", scope=tik.scope_ubuf)',
                 *[f't.data_move({x}, g{"b" if x == "b" else "a"}, 0, 1, MOST // {block}, 0, 0)' for x in 'aboq'],
                 f't.data_move(ix, gi, 0, 1, MOST // {wide}, 0, 0)', 't.data_move(y[0, 0], o, 0, 1, %d, 0, 0)' % (MOST // block),
                 't.vec_dup(8, w, 0, 1, 8)', 'c = t.Scalar("int32", name="c", init_value=2)',
                 *[f's{i + 1} = t.Scalar("{dtype}", name="s{i + 1}", init_value=0)' for i, dtype in enumerate(self.scalars)],
                 f'with t.for_range({self.begin}, {bound}) as r:', *['    ' + x for x in self.lines],
                 'w[0].set_as(c)', *[f'w[{i + 1}].set_as(s{i + 1})' for i, dtype in enumerate(self.scalars[:7]) if dtype == 'int32'], *[f't.data_move(y[{i}, 0], {x}, 0, 1, MOST // {block}, 0, 0)' for i, x in enumerate('oq')],
                 't.data_move(z, w, 0, 1, 1, 0, 0)', 't.BuildCCE(kernel_name="k", inputs=[ga, gb, gi, n], outputs=[y, z])']
        return '\n'.join(lines) + '\n'


def run(folder, options):
    """The outputs, or the first line of what was wrong."""
    args = [TIKC, 'run', os.path.join(folder, 'k.tik'), *options]
    for name in ('ga', 'gb', 'gi', 'n'):
        args += ['--in', f'{name}={os.path.join(folder, name)}.npy']
    outs = [os.path.join(folder, name) for name in ('y.npy', 'z.npy')]
    p = subprocess.run(args + ['--out', f'y={outs[0]}', '--out', f'z={outs[1]}'], capture_output=True, text=True)
    if p.returncode == 5:
        return re.sub(r'\x1b.*?m', '', p.stderr)
    assert p.returncode == 0, p.stderr
    return b''.join(open(path, 'rb').read() for path in outs)


def one(folder, seed):
    """Whether the loop is vectorized, and whether a fault is reported; None: the compiler refuses the kernel."""
    g = Gen(seed)
    with open(os.path.join(folder, 'k.tik'), 'w') as f:
        f.write(g.program())
    r = np.random.default_rng(seed)
    for name in ('ga', 'gb'):
        np.save(os.path.join(folder, name), r.integers(0, 100, MOST).astype(g.dtype))
    index = r.integers(0, r.choice([4, MOST // 3, MOST]), MOST).astype(g.index)
    if g.past:
        index[r.integers(0, 45, 2)] = r.choice([MOST, MOST, 30000])
    np.save(os.path.join(folder, 'gi'), index)
    np.save(os.path.join(folder, 'n'), np.array([r.choice([0, 1, 15, 16, 17, 32, 45, 47])], np.int32))
    p = subprocess.run([TIKC, 'build', os.path.join(folder, 'k.tik'), '--emit', 'host-ir', '--verify-each', '-o', '-'], capture_output=True, text=True)
    if p.returncode == 1:
        return None
    assert p.returncode == 0, f'seed {seed}: {p.stderr}'
    want = run(folder, ['--backend', 'emu'])
    for options in ([], ['--disable', 'vectorize'], ['--disable', 'all'], ['-O0']):
        assert run(folder, ['--backend', 'host', *options]) == want, f'seed {seed}: host {options} and emulator differ'
    return 'vectorized' in p.stdout, isinstance(want, str)


def main():
    with tempfile.TemporaryDirectory() as folder:
        got = [one(folder, seed) for seed in range(SEED, SEED + KERNELS)]
    legal = [x for x in got if x is not None]
    vectorized, faults = sum(v for v, _ in legal), sum(f for _, f in legal)
    both = sum(v and f for v, f in legal)
    print(f'{len(legal)} of {KERNELS} kernels are compiled, {vectorized} of them have vectorized loops, {faults} break a rule, {both} both')
    assert KERNELS < 40 or (vectorized >= KERNELS // 4 and faults >= KERNELS // 10 and both >= KERNELS // 20), 'the kernels do not try what they are for'
    print(f'{KERNELS} passed, 0 failed')


if __name__ == '__main__':
    main()
