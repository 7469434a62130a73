#!/usr/bin/python3
"""Convolutions of lane_conv2d that read packed constants, against a numpy convolution of the unpacked weights
(lmem_model.py), on the host back end and the emulator: int8 with requantisation, int8 with int32 results, depthwise,
float32; odd numbers of channels, strides, paddings, dilations, several processors.

usage: lmem_conv.py [--calls N] [--match TARGET]

That the place of every byte counts is shown by a wrong packing: one byte of the packed constant in the blob is changed
(in the text of the blob), and the result must change where numpy says so. TIKC_SEED: first seed (1), LMEM_CALLS: calls.
Ends with 'N passed, N failed'.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import lmem_model as model  # noqa: E402
from lmem_run import TIKC, run, same_bits  # noqa: E402

BACKENDS = (['--backend', 'host'], ['--backend', 'emu'])
TARGETS = ('bm1684x', 'bm1688', 'bm1690', 'sg2380', 'toy4x16')


class Call:
    """One convolution: shapes, arrays, and the program."""

    def __init__(self, seed, target):
        r = self.r = np.random.default_rng(seed)
        self.target, self.seed = target, seed
        self.lanes = model.TARGETS[target][0]
        self.kind = ('requant', 'requant', 'sums', 'plain', 'float')[seed % 5]
        self.depthwise = self.kind in ('requant', 'sums', 'float') and r.random() < 0.3
        small = target == 'toy4x16'
        pick = lambda *n: int(n[r.integers(len(n))])
        self.oc = pick(1, 3, 5, self.lanes - 1, self.lanes, self.lanes + 3) if not small else pick(1, 3, 5, 7)
        self.ic = self.oc if self.depthwise else pick(1, 2, 3, 5, 17, 33) if not small else pick(1, 3, 5, 17)
        self.kh, self.kw = pick(1, 2, 3), pick(1, 2, 3, 4)
        self.n = pick(1, 1, 2) if not small else 1
        self.h, self.w = (pick(1, 4, 7, 9), pick(1, 5, 8, 13)) if not small else (pick(1, 3, 4), pick(2, 4, 5))
        self.stride = (pick(1, 1, 2, 3), pick(1, 1, 2, 3))
        self.dilation = (pick(1, 1, 2), pick(1, 1, 2))
        self.pad = tuple(pick(0, 1, 2) for _ in range(4))
        for axis, size in ((0, self.h), (1, self.w)):   # at least one result
            need = self.dilation[axis] * ((self.kh, self.kw)[axis] - 1) + 1
            if size + sum(self.pad[2 * axis:2 * axis + 2]) < need:
                self.pad = self.pad[:2 * axis] + (min(15, need), 0) + self.pad[2 * axis + 2:]
        self.arrays()

    def arrays(self):
        r = self.r
        shape = (self.n, self.ic, self.h, self.w)
        weight = (self.oc, 1 if self.depthwise else self.ic, self.kh, self.kw)
        self.given = 'float32' if self.kind == 'float' else 'uint8' if r.random() < 0.25 else 'int8'
        if self.kind == 'float':
            self.x = r.standard_normal(shape).astype(np.float32)
            self.weight = r.standard_normal(weight).astype(np.float32)
            if r.random() < 0.3:    # outside of the image are zeros, whose product with these is no number
                self.weight.ravel()[r.integers(self.weight.size, size=2)] = np.inf, np.nan
        else:
            self.x = r.integers(0, 256, shape, np.uint8).view(self.given)
            self.weight = r.integers(-128, 128, weight).astype(np.int8)
        self.bias = r.integers(-1 << 20, 1 << 20, self.oc).astype(np.int32)
        self.mul = r.integers(1, 1 << 30, self.oc).astype(np.int32) * r.choice([1, 1, 1, -1], self.oc).astype(np.int32)
        self.shift = r.integers(28, 44, self.oc).astype(np.int32)
        self.zp = int(r.integers(-100, 100))
        self.result = 'float32' if self.kind == 'float' else 'int32' if self.kind != 'requant' else \
            'uint8' if r.random() < 0.3 else 'int8'
        self.has_bias = self.kind in ('requant', 'sums') and (self.kind == 'sums' or r.random() < 0.8)

    def expected(self, weight=None):
        w = self.weight if weight is None else weight
        with np.errstate(invalid='ignore'):
            v = model.convolution(self.x, w, self.stride, self.pad, self.dilation, self.depthwise)
        if self.kind == 'float':
            return np.where(np.isnan(v), np.float32(np.nan), v)
        if self.has_bias:
            v = (v.astype(np.int64) + self.bias[None, :, None, None]).astype(np.int32)
        if self.kind != 'requant':
            return v
        return model.requantised(v, self.mul, self.shift, np.full(self.oc, self.zp), self.result)

    def text(self, folder):
        """The program; constants stand beside it."""
        for name in ('weight', 'bias', 'mul', 'shift'):
            np.save(os.path.join(folder, f'c_{name}.npy'), getattr(self, name))
        out = self.expected().shape
        dtype = str(self.weight.dtype)
        bias = 't.Const("int32", (%d,), name="b", init="c_bias.npy")' % self.oc if self.has_bias else 'None'
        words = ', '.join(f'{k}=t.Const("int32", ({self.oc},), name="{k[0]}q", init="c_{k}.npy")' for k in ('mul', 'shift'))
        requant = f't.requant({words}, zp={self.zp})' if self.kind == 'requant' else 'None'
        return f"""from tbe import tik
t = tik.Tik(tik.Dprofile("{self.target}"))
x_gm = t.Tensor("{self.given}", {self.x.shape}, name="x_gm", scope=tik.scope_gm)
y_gm = t.Tensor("{self.result}", {out}, name="y_gm", scope=tik.scope_gm)
w = t.Const("{dtype}", {self.weight.shape}, name="w", init="c_weight.npy")
k = t.pack_conv(weight=w, bias={bias}, requant={requant}, depthwise={self.depthwise}, name="k")
kl = t.Tensor(k.dtype, k.shape, name="kl", scope=tik.scope_lmem, layout="compact")
x = t.Tensor("{self.given}", {self.x.shape}, name="x", scope=tik.scope_lmem)
y = t.Tensor("{self.result}", {out}, name="y", scope=tik.scope_lmem)
t.data_move(x, x_gm)
t.data_move(kl, k)
t.lane_conv2d(y, x, kl, stride={self.stride}, padding={self.pad}, dilation={self.dilation})
t.data_move(y_gm, y)
t.BuildCCE(kernel_name="k", inputs=[x_gm], outputs=[y_gm])
"""


def one(seed, targets):
    """Tests, and what went wrong."""
    call = Call(seed, targets[seed // 5 % len(targets)])
    want = np.ascontiguousarray(call.expected())
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        text = call.text(folder)
        # the order of float32 weights is no part of the result
        options = ('--choice', 'W1=runs') if call.kind == 'float' and seed % 2 else ()
        for backend in BACKENDS:
            got, said = run(folder, text, {'x_gm': call.x}, ['y_gm'], backend, options)
            if got is None and 'lmem-overflow' in said:
                return 0, []
            if got is None or not same_bits(got['y_gm'], want):
                bad.append(f'seed {seed} {backend[1]}: {said if got is None else "other bits"}\n{text}')
    return len(BACKENDS), bad


def tool(*args):
    return subprocess.run([TIKC, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wrong_packing():
    """A blob whose packed constant has two weights exchanged: of two output channels in one lane, of two groups of
    input channels, of two kernel positions. Each changes the result in its own way, as numpy says."""
    bad = []
    call = Call(0, 'bm1688')
    call.kind, call.depthwise, call.has_bias, call.result, call.given = 'plain', False, False, 'int32', 'int8'
    call.oc, call.ic, call.kh, call.kw, call.n, call.h, call.w = 35, 33, 2, 2, 1, 4, 5
    call.stride, call.dilation, call.pad = (1, 1), (1, 1), (0, 1, 1, 0)
    kind, call.kind = call.kind, 'sums'
    call.arrays()
    call.kind, call.has_bias, call.given = kind, False, 'int8'
    call.x = call.x.view(np.int8)
    call.result = 'int32'
    lanes, parallel, points = 32, 32, 4
    length = 2 * points * parallel

    def place(oc, ic, point):
        """Of a weight by itself: its byte in the constant."""
        return oc * length + (ic // parallel * points + point) * parallel + ic % parallel

    swaps = {'channels of one lane': ((0, 3, 1), (lanes, 3, 1)), 'groups of input channels': ((7, 0, 2), (7, 32, 2)),
             'kernel positions': ((34, 5, 0), (34, 5, 3))}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'program.tik')
        with open(path, 'w') as f:
            f.write(call.text(folder))
        np.save(os.path.join(folder, 'x_gm.npy'), call.x)
        said = tool('build', path, '-o', os.path.join(folder, 'k.tkb'))
        text = tool('disasm', os.path.join(folder, 'k.tkb')).stdout
        for name, (a, b) in swaps.items():
            weight = call.weight.copy().reshape(call.oc, call.ic, -1)
            weight[a], weight[b] = call.weight.reshape(weight.shape)[b], call.weight.reshape(weight.shape)[a]
            assert weight[a] != weight[b]
            changed = swapped(text, place(*a), place(*b))
            if changed is None:
                bad.append(f'{name}: the blob shows no constant: {said.stdout}')
                continue
            with open(os.path.join(folder, 'k.s'), 'w') as f:
                f.write(changed)
            said = tool('asm', os.path.join(folder, 'k.s'), '-o', os.path.join(folder, 'k2.tkb'))
            said = tool('run', os.path.join(folder, 'k2.tkb'), '--in', f'x_gm={folder}/x_gm.npy', '--out',
                        f'y_gm={folder}/y.npy')
            if said.returncode != 0:
                bad.append(f'{name}: {said.stdout}')
                continue
            got = np.load(f'{folder}/y.npy')
            if same_bits(got, call.expected()) or not same_bits(got, call.expected(weight.reshape(call.weight.shape))):
                bad.append(f'{name}: exchanged bytes do not change what they should')
    return len(swaps), bad


def swapped(text, a, b):
    """The text of a blob with bytes a and b of its constant exchanged; null: it has none."""
    lines = text.split('\n')
    hexes = [(i, m) for i, line in enumerate(lines) for m in [re.fullmatch(r'(\s*data )([0-9a-f]+)', line)] if m]
    if not hexes:
        return None
    data = bytearray(bytes.fromhex(''.join(m.group(2) for _, m in hexes)))
    data[a], data[b] = data[b], data[a]
    at = 0
    for i, m in hexes:
        n = len(m.group(2)) // 2
        lines[i] = m.group(1) + data[at:at + n].hex()
        at += n
    return '\n'.join(lines)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--calls', type=int, default=int(os.environ.get('LMEM_CALLS', 50)))
    ap.add_argument('--match', default='')
    a = ap.parse_args()
    targets = [t for t in TARGETS if a.match in t]
    first = int(os.environ.get('TIKC_SEED', 1))
    done, bad = wrong_packing()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for n, wrong in pool.map(lambda s: one(s, targets), range(first, first + a.calls)):
            done += n
            bad += wrong
    print('\n'.join(bad[:3]))
    print(f'{done - len(bad)} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
