"""print_numpy.py TIKC FOLDER: what --print shows of arrays is what numpy's str() gives, for types, sizes and shapes of all kinds."""
import os
import subprocess
import sys

import numpy as np

tikc, folder = sys.argv[1:]
rng = np.random.default_rng(5)
KERNEL = '''from tbe import tik
t = tik.Tik()
x = t.Tensor("%s", %s, name="x", scope=tik.scope_gm)
y = t.Tensor("%s", (64,), name="y", scope=tik.scope_gm)
ub = t.Tensor("%s", (64,), name="ub", scope=tik.scope_ubuf)
t.data_move(ub, x, 0, 1, 1, 0, 0)
t.data_move(y, ub, 0, 1, 1, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])
'''


def arrays():
    for dtype in ('float16', 'float32'):
        t = np.dtype(dtype)
        for shape in ((64,), (3, 40), (2, 3, 32), (1100,), (40, 30), (7, 2, 90)):
            n = int(np.prod(shape))
            yield np.arange(n).reshape(shape).astype(t)
            yield rng.standard_normal(n).reshape(shape).astype(t)
            yield (rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)).reshape(shape).astype(t)
            yield np.round(rng.standard_normal(n) * 8).reshape(shape).astype(t) / 4
        yield np.full(64, 65504, t)
        yield rng.integers(0, 2 ** (8 * t.itemsize - 1), 64).astype('u%d' % t.itemsize).view(t)
        odd = np.arange(64).astype(t)
        odd[3], odd[7], odd[9] = np.nan, np.inf, -0.0
        yield odd
        odd[8] = -np.inf
        yield odd
        yield np.full(64, np.nan, t)
        yield np.full(64, 1e-7).astype(t)
        yield np.linspace(-1, 1, 64).astype(t)
        yield (1 / np.arange(1, 65)).astype(t)
    for dtype in ('int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64'):
        info = np.iinfo(dtype)
        for shape in ((64,), (2, 50), (1200,)):
            yield rng.integers(info.min, info.max, shape, dtype, endpoint=True)
            yield rng.integers(0, 10, shape).astype(dtype)


bad = seen = 0
for a in arrays():
    source, file = os.path.join(folder, 'k.tik'), os.path.join(folder, 'x.npy')
    with open(source, 'w') as f:
        f.write(KERNEL % (a.dtype, a.shape if a.ndim > 1 else '(%d,)' % a.size, a.dtype, a.dtype))
    np.save(file, a)
    run = subprocess.run([tikc, 'run', source, '--backend', 'emu', '--in', 'x=' + file, '--print', 'x@k.tik:6'],
                         capture_output=True, text=True)
    want = str(a)
    want = '%s:6: x =%s%s\n' % (source, '\n' if '\n' in want else ' ', want)
    seen += 1
    if run.stdout != want:
        bad += 1
        print('%s %s: got\n%s%swanted\n%s' % (a.dtype, a.shape, run.stdout[:600], run.stderr, want[:600]))
print('%d arrays, %d differ' % (seen, bad))
sys.exit(bad > 0)
