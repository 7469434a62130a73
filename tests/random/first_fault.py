#!/usr/bin/python3
"""Random kernels in which several rules may be broken: moves and arithmetic at places that Scalars say, some of which are outside of the tensor or
not at a block, numbers of repeats and blocks that are 0 or too large, in loops and branches. The host, as the passes leave it and as it is written,
reports the same fault as the emulator, the first one of the program, or stores the same bytes. TIKC_SEED and TIKC_KERNELS choose the kernels."""
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
TILES, ELEMS, NUMBERS = 'abcdef', 256, 6


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = []
        self.values = []
        self.repeats = self.r.choice([1, 2])  # of most instructions, so that they are one loop

    def number(self, legal, wrong, odds):
        """A Scalar's name, or a constant that is legal."""
        r = self.r
        if r.random() < 0.6 or len(self.values) == NUMBERS:
            return str(r.choice(legal))
        self.values.append(r.choice(wrong) if r.random() < odds else r.choice(legal))
        return f's{len(self.values) - 1}'

    def place(self, tile, odds=0.5):
        if self.r.random() < 0.4:
            return tile
        return f'{tile}[{self.number([0, 0, 0, 0, 0, 8, 64], [3, 250, 300, -8], odds)}]'

    def statement(self):
        r = self.r
        x, y, z = (r.choice(TILES) for _ in range(3))
        repeats = self.repeats if r.random() < 0.8 else self.number([1, 2, 3], [0, 5, 256], 0.3)
        return r.choice([f't.data_move({self.place(x)}, {r.choice("gh")}[{self.number([0, 64, 128], [1000, 2048], 0.2)}], 0, 1, {self.number([8, 16, 24], [0, 40], 0.2)}, 0, 0)',
                         f't.vec_add(64, {self.place(x)}, {self.place(y)}, {self.place(z)}, {repeats}, 8, 8, 8)',
                         f't.vec_muls(64, {self.place(x)}, {self.place(y)}, 0.5, {repeats}, 8, 8)',
                         f't.vec_muls(64, {self.place(x)}, {self.place(x)}, 2.0, {repeats}, 8, 8)',
                         f't.vec_dup(64, {self.place(x)}, 1.5, {repeats}, 8)',
                         f't.data_move(y[{r.choice(["0", "256", "512"])}], {self.place(x)}, 0, 1, {self.number([8, 16], [0, 40], 0.2)}, 0, 0)'])

    def body(self, depth):
        r, lines = self.r, []
        for _ in range(r.randrange(3, 8)):
            kind = r.random()
            if depth and kind < 0.15:
                lines += [f'with t.for_range(0, {r.randrange(1, 4)}) as i{depth}:', *['    ' + x for x in self.body(depth - 1)]]
            elif depth and kind < 0.25:
                lines += [f'with t.if_scope(k > {r.randrange(4)}):', *['    ' + x for x in self.body(depth - 1)]]
            else:
                lines.append(self.statement())
        return lines

    def program(self):
        body = self.body(2)
        lines = ['from tbe import tik', 't = tik.Tik()', *[f'{x} = t.Tensor("float32", (1024,), name="{x}", scope=tik.scope_gm)' for x in 'ghy'],
                 's = t.Tensor("int32", (8,), name="s", scope=tik.scope_gm)',
                 *[f'{x} = t.Tensor("float32", ({ELEMS},), name="{x}", scope=tik.scope_ubuf)' for x in TILES], *[f't.vec_dup(64, {x}, 1.0, 4, 8)' for x in TILES],
                 'w = t.Tensor("int32", (8,), name="w", scope=tik.scope_ubuf)', 't.data_move(w, s, 0, 1, 1, 0, 0)',
                 *[f's{i} = t.Scalar("int32", name="s{i}", init_value=w[{i}])' for i in range(NUMBERS)], 'k = t.Scalar("int32", name="k", init_value=w[7])',
                 *[f't.data_move({x}, {"g" if x < "d" else "h"}, 0, 1, {ELEMS // 8}, 0, 0)' for x in TILES if self.r.random() < 0.7], *body,
                 't.BuildCCE(kernel_name="k", inputs=[g, h, s], outputs=[y])']
        return '\n'.join(lines) + '\n'


def run(folder, options):
    """The output, or what was wrong."""
    args = [TIKC, 'run', os.path.join(folder, 'k.tik'), *options]
    for name in 'ghs':
        args += ['--in', f'{name}={os.path.join(folder, name)}.npy']
    p = subprocess.run(args + ['--out', f'y={os.path.join(folder, "y.npy")}'], capture_output=True, text=True)
    if p.returncode == 5:
        return re.sub(r'\x1b.*?m', '', p.stderr)
    assert p.returncode == 0, p.stderr
    return open(os.path.join(folder, 'y.npy'), 'rb').read()


def one(folder, seed):
    """Whether a fault is reported; None: the compiler refuses the kernel."""
    g = Gen(seed)
    with open(os.path.join(folder, 'k.tik'), 'w') as f:
        f.write(g.program())
    r = np.random.default_rng(seed)
    for name in 'gh':
        np.save(os.path.join(folder, name), r.integers(-9, 9, 1024).astype(np.float32))
    np.save(os.path.join(folder, 's'), np.array((g.values + [0] * 8)[:NUMBERS] + [0, r.integers(0, 4)], np.int32))
    p = subprocess.run([TIKC, 'build', os.path.join(folder, 'k.tik'), '--emit', 'host-ir', '--verify-each', '-o', os.devnull], capture_output=True, text=True)
    if p.returncode == 1:
        return None
    assert p.returncode == 0, f'seed {seed}: {p.stderr}'
    want = run(folder, ['--backend', 'emu'])
    for options in ([], ['--disable', 'all']):
        got = run(folder, ['--backend', 'host', *options])
        assert got == want, f'seed {seed}: host {options} and emulator differ\n{got}\n{want}'
    return isinstance(want, str)


def main():
    with tempfile.TemporaryDirectory() as folder:
        got = [one(folder, seed) for seed in range(SEED, SEED + KERNELS)]
    legal = [x for x in got if x is not None]
    print(f'{len(legal)} of {KERNELS} kernels are compiled, {sum(legal)} of them break a rule')
    assert KERNELS < 40 or (len(legal) >= KERNELS // 4 and sum(legal) >= KERNELS // 8), 'the kernels do not try what they are for'
    print(f'{KERNELS} passed, 0 failed')


if __name__ == '__main__':
    main()
