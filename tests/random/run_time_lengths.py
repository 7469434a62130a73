#!/usr/bin/python3
"""Random kernels over tiles of a run-time length, as the last tile of a kernel is: moves of blocks that are rounded up, arithmetic,
comparisons and selects of repeats that are rounded up or down or are one more than needed, Scalars that are set to such numbers, some
of them before the length changes. The host as the passes leave them, as they are written, and the emulator store the same bytes, what
nothing wrote included. TIKC_SEED and TIKC_KERNELS choose the kernels."""
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
MOST, LENGTHS = 1024, 8
TILES = ('a', 'b', 'c', 'd')


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lanes, self.block, self.dtype = self.r.choice([(64, 8, 'float32'), (128, 16, 'float16')])
        self.scalars = 0
        self.written = []
        self.lines = []

    def number(self, unit, ups):
        """The number of units that a length takes, as an expression or as a Scalar that was set to it."""
        up = self.r.choice(ups)
        text = f'(n + {up}) // {unit}' if up else f'n // {unit}'
        if self.r.random() < 0.5:
            return text
        self.scalars += 1
        name = f's{self.scalars}'
        self.lines += [f'{name} = t.Scalar("int32", name="{name}")', f'{name}.set_as({text})']
        if self.r.random() < 0.04:
            self.lines.append(f'n.set_as(n - {self.r.choice([1, self.block, self.lanes])})')
            self.lines += ['with t.if_scope(n < 1):', '    n.set_as(1)']
        return name

    def move(self, dst, src):
        blocks = self.number(self.block, [self.block - 1] * 12 + [0, self.block])
        self.lines.append(f't.data_move({dst}, {src}, 0, 1, {blocks}, 0, 0)')

    def source(self):
        return self.r.choice(TILES if self.r.random() < 0.06 else self.written)

    def compute(self):
        """At least one repeat, since none is an error."""
        dst, x, y = self.r.choice(TILES), self.source(), self.source()
        self.written.append(dst)
        n = self.number(self.lanes, [self.lanes - 1] * 9 + [self.lanes, self.lanes + 40])
        kind = self.r.randrange(5)
        if kind == 0:
            self.lines.append(f't.vec_muls({self.lanes}, {dst}, {x}, 0.5, {n}, 8, 8)')
        elif kind == 1:
            self.lines.append(f't.vec_add({self.lanes}, {dst}, {x}, {y}, {n}, 8, 8, 8)')
        elif kind == 2:
            self.lines.append(f't.vec_cmpv_{self.r.choice(["lt", "ge", "eq"])}(m, {x}, {y}, {n}, 8, 8)')
        else:
            other = n if self.r.random() < 0.8 else self.number(self.lanes, [self.lanes - 1])
            self.lines.append(f't.vec_cmpv_gt(m, {x}, {y}, {n}, 8, 8)')
            self.lines.append(f't.vec_sel({self.lanes}, 2, {dst}, m, {x}, {y}, {other}, 8, 8, 8)')

    def body(self):
        for tile in self.r.sample(TILES, self.r.randint(1, 3)):
            self.move(tile, self.r.choice(['x', 'z']))
            self.written.append(tile)
        for _ in range(self.r.randint(1, 5)):
            self.compute()
        self.move('y[i, 0]', self.source())
        if self.r.random() < 0.2:
            self.move('y[i, 0]', self.r.choice(TILES))
        if self.r.random() < 0.15:
            self.lines.append(f't.data_move(bits[i, 0], m, 0, 1, {MOST // 8 // 32}, 0, 0)')

    def program(self):
        self.body()
        outside = self.r.random() < 0.3
        tiles = [f'{name} = t.Tensor("{self.dtype}", (MOST + 256,), name="{name}", scope=tik.scope_ubuf)' for name in TILES]
        tiles.append('m = t.Tensor("uint8", (MOST // 8 + 32,), name="m", scope=tik.scope_ubuf)')
        head = ['from tbe import tik', f'MOST, LENGTHS = {MOST}, {LENGTHS}', 't = tik.Tik()']
        head += [f'{name} = t.Tensor("{self.dtype}", (MOST + 256,), name="{name}", scope=tik.scope_gm)' for name in 'xz']
        head += ['lengths = t.Tensor("int32", (LENGTHS,), name="lengths", scope=tik.scope_gm)',
                 f'y = t.Tensor("{self.dtype}", (LENGTHS, MOST + 256), name="y", scope=tik.scope_gm)',
                 'bits = t.Tensor("uint8", (LENGTHS, MOST // 8), name="bits", scope=tik.scope_gm)',
                 'held = t.Tensor("int32", (LENGTHS,), name="held", scope=tik.scope_ubuf)',
                 't.data_move(held, lengths, 0, 1, LENGTHS // 8, 0, 0)']
        inside = ['n = t.Scalar("int32", name="n", init_value=held[i])']
        lines = head + (tiles if outside else []) + ['with t.for_range(0, LENGTHS) as i:']
        lines += ['    ' + line for line in inside + ([] if outside else tiles) + self.lines]
        return '\n'.join(lines + ['t.BuildCCE(kernel_name="k", inputs=[x, z, lengths], outputs=[y, bits])']) + '\n'


def run(folder, options):
    """The outputs, or the first line of what was wrong."""
    outs = [os.path.join(folder, name) for name in ('y.npy', 'bits.npy')]
    ins = [f'{name}={os.path.join(folder, name)}.npy' for name in ('x', 'z', 'lengths')]
    args = [TIKC, 'run', os.path.join(folder, 'k.tik'), *options]
    for text in ins:
        args += ['--in', text]
    p = subprocess.run(args + ['--out', f'y={outs[0]}', '--out', f'bits={outs[1]}'], capture_output=True, text=True)
    if p.returncode == 5:
        return re.sub(r'\x1b.*?m', '', p.stderr.split('\n')[0])
    assert p.returncode == 0, p.stderr
    return b''.join(open(path, 'rb').read() for path in outs)


def one(folder, seed):
    """Whether some scope of the kernel is trimmed; the kernel is right."""
    g = Gen(seed)
    with open(os.path.join(folder, 'k.tik'), 'w') as f:
        f.write(g.program())
    r = np.random.default_rng(seed)
    for name in 'xz':
        np.save(os.path.join(folder, name), r.integers(-4, 5, MOST + 256).astype(g.dtype))
    np.save(os.path.join(folder, 'lengths'), r.integers(1, MOST + 1, LENGTHS).astype(np.int32))
    want = run(folder, ['--backend', 'emu'])
    for options in ([], ['--disable', 'all'], ['-O0']):
        assert run(folder, ['--backend', 'host', *options]) == want, f'seed {seed}: host {options} and emulator differ'
    p = subprocess.run([TIKC, 'build', os.path.join(folder, 'k.tik'), '--emit', 'host-ir', '--verify-each', '-o', '-'], capture_output=True, text=True)
    assert p.returncode == 0, f'seed {seed}: {p.stderr}'
    return 'trimmed' in p.stdout


def main():
    trimmed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SEED, SEED + KERNELS):
            trimmed += one(folder, seed)
    print(f'{trimmed} of the kernels have trimmed scopes')
    assert KERNELS < 40 or trimmed >= KERNELS // 10, 'the kernels do not try what they are for'
    print(f'{KERNELS} passed, 0 failed')


if __name__ == '__main__':
    main()
