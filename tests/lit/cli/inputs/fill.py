"""fill.py TIKC FOLDER: --in random, zeros, ones, arange and numbers, against docs/running.md, for every type of
tensors."""
import os
import subprocess
import sys

import numpy as np

tikc, folder = sys.argv[1:]
N = 300
NAMES = ['uint8', 'int8', 'uint16', 'int16', 'float16', 'uint32', 'int32', 'float32', 'uint64', 'int64']
KERNEL = '''from tbe import tik
t = tik.Tik()
x = t.Tensor("%s", (%d,), name="x", scope=tik.scope_gm)
y = t.Tensor(x.dtype, (32,), name="y", scope=tik.scope_gm)
ub = t.Tensor(x.dtype, (32,), name="ub", scope=tik.scope_ubuf)
t.data_move(ub, x, 0, 1, 1, 0, 0)
t.data_move(y, ub, 0, 1, 1, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])
'''


def mixed(seed):
    with np.errstate(over='ignore'):
        z = np.uint64(seed) + np.arange(1, N + 1, dtype=np.uint64) * np.uint64(0x9e3779b97f4a7c15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94d049bb133111eb)
    return (z ^ z >> np.uint64(31)) >> np.uint64(11)


def random(dtype, seed, lo=None, hi=None):
    r, t = mixed(seed), np.dtype(dtype)
    if t.kind == 'f':
        lo, hi = (-1., 1.) if lo is None else (lo, hi)
        return (lo + r * 2.0 ** -53 * (hi - lo)).astype(t)
    if lo is None:
        lo, hi = (-128, 127) if t.kind == 'i' else (0, 255)
    return ((r % np.uint64(hi - lo + 1)).astype(np.int64) + lo).astype(t)


def cases(dtype):
    t = np.dtype(dtype)
    yield 'zeros', np.zeros(N, t)
    yield 'ones', np.ones(N, t)
    yield 'arange', np.arange(N).astype(t)
    yield '5', np.full(N, 5, t)
    yield '1e2', np.full(N, 100, t)
    yield 'random:7', random(dtype, 7)
    yield 'random:%d:3..99' % 2 ** 62, random(dtype, 2 ** 62, 3, 99)
    if t.kind == 'f':
        yield '-0.1', np.full(N, -0.1).astype(t)
        yield 'inf', np.full(N, np.inf, t)
    else:
        yield str(np.iinfo(t).min), np.full(N, np.iinfo(t).min, t)
        yield str(np.iinfo(t).max), np.full(N, np.iinfo(t).max, t)


for dtype in NAMES:
    source = os.path.join(folder, 'k.tik')
    with open(source, 'w') as f:
        f.write(KERNEL % (dtype, N))
    for text, want in cases(dtype):
        out = os.path.join(folder, 'x.npy')
        subprocess.run([tikc, 'run', source, '--backend', 'emu', '--in', 'x=' + text, '--out', 'x=' + out], check=True)
        got = np.load(out)
        assert got.dtype == want.dtype and got.tobytes() == want.tobytes(), (dtype, text, got[:4], want[:4])
