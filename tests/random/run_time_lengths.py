#!/usr/bin/python3
"""Random kernels over tiles of a run-time length, as the last tile of a kernel is: moves of blocks that are rounded up, arithmetic,
comparisons and selects of repeats that are rounded up or down or are one more than needed, whole repeats and the lanes that are left
in branches of their own (some of them not quite the parts of one length), loops over the most repeats, rows with one row for all, sums and extremes of tiles, Scalars that are set to
such numbers, some of them before the length changes, and here and there no element at all. The host as the passes leave them, as they are written, and the emulator store the same bytes, what
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
        self.kind = self.r.choice(['repeats', 'repeats', 'parts', 'parts', 'parts', 'rows', 'sums'])
        self.scalars = 0
        self.written = []
        self.lines = []

    def set_to(self, text):
        """A Scalar with the value of an expression."""
        self.scalars += 1
        name = f's{self.scalars}'
        self.lines += [f'{name} = t.Scalar("int32", name="{name}")', f'{name}.set_as({text})']
        return name

    def number(self, unit, ups):
        """The number of units that a length takes, as an expression or as a Scalar that was set to it."""
        up = self.r.choice(ups)
        text = f'(n + {up}) // {unit}' if up else f'n // {unit}'
        if self.r.random() < 0.5:
            return text
        name = self.set_to(text)
        if self.r.random() < 0.04:
            self.lines.append(f'n.set_as(n - {self.r.choice([1, self.block, self.lanes])})')
            self.lines += ['with t.if_scope(n < 1):', '    n.set_as(1)']
        return name

    def move(self, dst, src):
        if self.kind == 'rows':
            n = self.r.choice(['n * 8'] * 9 + ['8 * n', '(n + 1) * 8', 'n * 4'])
            self.lines.append(f't.data_move({dst}, {src}, 0, 1, {n}, 0, 0)')
            return
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

    def scalar(self, text):
        """The expression, or a Scalar that was set to it."""
        if self.r.random() < 0.6:
            return text
        name = self.set_to(text)
        if self.r.random() < 0.05:
            self.lines.append(f'n.set_as(n - {self.r.choice([1, 3, self.lanes])})')
        return name

    def rows(self):
        """Instructions on n rows, some of them with the same row of another tile for all."""
        dst, x, y = self.r.choice(TILES), self.source(), self.source()
        self.written.append(dst)
        n = self.r.choice(['n', 'n', 'n', 'n', '(n + 1) // 2'])
        step = self.r.choice([8, 8, 0])
        self.lines.append(self.r.choice([f't.vec_add({self.lanes}, {dst}, {x}, {y}, {n}, 8, 8, {step})',
                                         f't.vec_max({self.lanes}, {dst}, {x}, {y}, {n}, 8, {step}, 8)',
                                         f't.vec_muls({self.lanes}, {dst}, {x}, 0.5, {n}, 8, 8)']))

    def sums(self):
        """A sum or an extreme of a tile that was moved, or of one that is still another's, mostly of no more than was moved."""
        r = self.r
        src = r.choice(self.written)
        dst = r.choice([tile for tile in TILES if tile != src])
        n = self.number(self.lanes, [0] * 12 + [self.lanes - 1, self.lanes])
        self.lines.append(f't.vec_reduce_{r.choice(["add", "max", "min"])}({self.lanes}, {dst}, {src}, work, {n}, 8)')
        self.written.append(dst)
        if r.random() < 0.1:
            self.lines.append(f't.vec_relu({self.lanes}, {src}, {src}, 1, 8, 8)')

    def pair(self):
        """An instruction as it is for whole repeats, and for the lanes that are left."""
        dst, x, y = self.r.choice(TILES), self.source(), self.source()
        self.written.append(dst)
        scalar = [self.r.choice([0.5, 2.0])] * 2 if self.r.random() < 0.93 else [0.5, 2.0]
        form = self.r.choice(['t.vec_add({m}, {d}, {x}, {y}, {r}, 8, 8, 8)', 't.vec_muls({m}, {d}, {x}, {s}, {r}, 8, 8)',
                              't.vec_relu({m}, {d}, {x}, {r}, 8, 8)', 't.vec_axpy({m}, {d}, {x}, {s}, {r}, 8, 8)'])
        return form, dst, x, y, scalar

    def parts(self):
        """The usual way to compute with n elements: whole repeats, then a mask."""
        lanes, r = self.lanes, self.r
        other = lanes if r.random() < 0.92 else lanes // 2
        q = self.scalar(f'n // {lanes}')
        rest = self.scalar(r.choice([f'n % {lanes}', f'n - n // {lanes} * {lanes}', f'n - {q} * {lanes}', f'n % {other}']))
        at = r.choice([f'n // {lanes} * {lanes}', f'{q} * {lanes}', f'n - {rest}'] + [f'{q} * {other}'] * (r.random() < 0.3))
        pairs = [self.pair() for _ in range(r.randint(1, 3))]
        if r.random() < 0.3:
            self.three_parts(pairs)
            return
        any_q = r.choice([f'{q} > 0', f'{q} >= 1', f'n >= {lanes}', f'n > {lanes - 1}', f'{q} != 0'] + ['n > 0'] * (r.random() < 0.2))
        any_rest = r.choice([f'{rest} > 0', f'{rest} != 0', f'{rest} >= 1'] + [f'{rest} > 1'] * (r.random() < 0.2))
        branch = r.random() < 0.8
        if branch:
            self.lines.append(f'with t.if_scope({any_q}):')
        for form, d, x, y, s in pairs:
            self.lines.append('    ' * branch + form.format(m=lanes, d=d, x=x, y=y, r=q, s=s[0]))
        self.lines.append(f'with t.if_scope({any_rest}):')
        if r.random() < 0.05:
            pairs.reverse()
        for form, d, x, y, s in pairs:
            d, x, y = (f'{name}[{at}]' for name in (d, x, y))
            self.lines.append('    ' + form.format(m=rest, d=d, x=x, y=y, r=1, s=s[1]))

    def three_parts(self, pairs):
        """A loop over some repeats at a time, those that are left, and the lanes that are left."""
        lanes, r, each = self.lanes, self.r, self.r.choice([2, 3])
        loops = self.scalar(f'n // {lanes * each}')
        q = self.scalar(r.choice([f'n % {lanes * each} // {lanes}', f'(n - {loops} * {lanes * each}) // {lanes}']))
        rest = self.scalar(f'n % {lanes}')
        wrong = r.random() < 0.1
        self.lines.append(f'with t.for_range(0, {loops}) as p:')
        at = f'p * {lanes * (each + wrong)}'
        for form, d, x, y, s in pairs:
            d, x, y = (f'{name}[{at}]' for name in (d, x, y))
            self.lines.append('    ' + form.format(m=lanes, d=d, x=x, y=y, r=each, s=s[0]))
        places = ((f'{loops} * {lanes * each}', q, lanes, q), (r.choice([f'n - {rest}', f'{loops} * {lanes * each} + {q} * {lanes}']), rest, rest, 1))
        for at, any_left, mask, repeats in places:
            self.lines.append(f'with t.if_scope({any_left} > 0):')
            for form, d, x, y, s in pairs:
                d, x, y = (f'{name}[{at}]' for name in (d, x, y))
                self.lines.append('    ' + form.format(m=mask, d=d, x=x, y=y, r=repeats, s=s[0]))

    def body(self):
        for tile in self.r.sample(TILES, self.r.randint(1, 3)):
            self.move(tile, self.r.choice(['x', 'z'] + ['x[i * 8]', 'x[i + 3]'] * (self.kind == 'sums')))
            self.written.append(tile)
        most = self.r.randint(1, 3 if self.kind == 'sums' else 5)
        for _ in range(most):
            if self.kind == 'parts':
                self.parts()
            elif self.kind == 'rows':
                self.rows()
            elif self.kind == 'sums':
                self.sums()
            else:
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
        tiles.append(f'work = t.Tensor("{self.dtype}", (MOST,), name="work", scope=tik.scope_ubuf)')
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
    """Whether some scope of the kernel is trimmed, one has a run, and a tile is only asked about; the kernel is right."""
    g = Gen(seed)
    with open(os.path.join(folder, 'k.tik'), 'w') as f:
        f.write(g.program())
    r = np.random.default_rng(seed)
    for name in 'xz':
        np.save(os.path.join(folder, name), r.integers(-4, 5, MOST + 256).astype(g.dtype))
    least = 1 if seed % 8 else -3  # fewer elements than 1: the same fault everywhere
    most = MOST // g.lanes if g.kind == 'rows' else MOST
    few = g.lanes if g.kind == 'sums' and least > 0 else 5  # a sum has at least one repeat
    least = max(least, few) if least > 0 else least
    np.save(os.path.join(folder, 'lengths'), r.choice([least, few, most // 2, most, *r.integers(1 if few == 5 else few, most + 1, 9)], LENGTHS).astype(np.int32))
    want = run(folder, ['--backend', 'emu'])
    for options in ([], ['--disable', 'all'], ['-O0']):
        assert run(folder, ['--backend', 'host', *options]) == want, f'seed {seed}: host {options} and emulator differ'
    p = subprocess.run([TIKC, 'build', os.path.join(folder, 'k.tik'), '--emit', 'host-ir', '--verify-each', '-o', '-'], capture_output=True, text=True)
    assert p.returncode == 0, f'seed {seed}: {p.stderr}'
    return 'trimmed' in p.stdout, re.search(r'fused[^\n]*\n(?:[^}\n]*\n)*? *run \{', p.stdout) is not None, '[asked]' in p.stdout


def main():
    trimmed = joined = asked = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SEED, SEED + KERNELS):
            scopes = one(folder, seed)
            trimmed, joined, asked = trimmed + scopes[0], joined + scopes[1], asked + scopes[2]
    print(f'{trimmed} of the kernels have trimmed scopes, {joined} have runs in fused ones, {asked} read past a tile')
    assert KERNELS < 40 or min(trimmed, joined, 2 * asked) >= KERNELS // 16, 'the kernels do not try what they are for'
    print(f'{KERNELS} passed, 0 failed')


if __name__ == '__main__':
    main()
