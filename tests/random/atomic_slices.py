#!/usr/bin/python3
"""h_data_move to global memory in the atomic modes, on both back ends, against numpy: slices of any start, length and
step, several cores into the same elements, in the order of the cores. Ends with 'N passed, N failed'."""
import os
import subprocess
import sys
import tempfile

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa

RNG = np.random.default_rng(int(os.environ.get('TIKC_SEED', '5')))
MODES = {'float32': 1, 'float16': 2, 'int16': 3, 'int32': 4}
CORES = 3
SOURCE = '''from tbe import tik
t = tik.Tik()
x = t.Tensor("{dtype}", ({cores}, 16, 64), name="x", scope=tik.scope_gm)
y = t.Tensor("{dtype}", (16, 64), name="y", scope=tik.scope_gm)
z = t.Tensor("{dtype}", (16, 64), name="z", scope=tik.scope_gm)
with t.for_range(0, {cores}, block_num={cores}) as core:
    ub = t.Tensor("{dtype}", (16, 64), name="ub", scope=tik.scope_ubuf)
    t.h_data_move(ub, x[core, 0:16, 0:64])
    t.{setter}
    t.h_data_move(y[{rows}, {columns}], ub[{from_rows}, {from_columns}])
    t.set_atomic_none()
    with t.if_scope(core == 0):
        t.h_data_move(z, ub)
t.BuildCCE(kernel_name="k", inputs=[x], outputs=[y, z])
'''


def part(n, most, step):
    start = int(RNG.integers(0, most - (n - 1) * step))
    return slice(start, start + (n - 1) * step + 1, step)


def text(s):
    return f'{s.start}:{s.stop}:{s.step}'


def combine(op, a, b):
    with np.errstate(all='ignore'):
        if op == 'add':
            s = a + b
            return np.clip(s, -65504, 65504).astype(s.dtype) if s.dtype == np.float16 else s
        return np.maximum(a, b) if op == 'max' else np.minimum(a, b)


def case(dtype, op):
    rows, columns = int(RNG.integers(1, 8)), int(RNG.integers(1, 30))
    to = part(rows, 16, 2), part(columns, 64, int(RNG.integers(1, 3)))
    come = part(rows, 16, 2), part(columns, 64, to[1].step)
    x = RNG.integers(-30000, 30000, (CORES, 16, 64)).astype(dtype)
    if np.dtype(dtype).kind == 'f':
        x = (x * RNG.standard_normal(x.shape) * 2).clip(-60000, 60000).astype(dtype)
    setter = {'add': f'set_atomic_add({MODES[dtype]})', 'max': f'set_atomic_max("{dtype}")', 'min': f'set_atomic_min("{dtype}")'}[op]
    source = SOURCE.format(dtype=dtype, cores=CORES, setter=setter, rows=text(to[0]), columns=text(to[1]),
                           from_rows=text(come[0]), from_columns=text(come[1]))
    y = np.zeros((16, 64), dtype)
    for core in range(CORES):
        y[to] = combine(op, y[to], x[core][come])
    return source, x, y


def outputs(source, backend, x):
    with tempfile.TemporaryDirectory() as d:
        open(f'{d}/k.tik', 'w').write(source)
        np.save(f'{d}/x.npy', x)
        p = subprocess.run([TIKC, 'run', f'{d}/k.tik', '--soc', 'Ascend910B1', '--backend', backend, '--in', f'x={d}/x.npy',
                            '--out', f'y={d}/y.npy', '--out', f'z={d}/z.npy'], capture_output=True, text=True)
        return p.stdout + p.stderr if p.returncode else (np.load(f'{d}/y.npy'), np.load(f'{d}/z.npy'))


def main():
    passed = failed = 0
    for i in range(int(os.environ.get('TIKC_VECTORS', '2'))):
        for dtype in MODES:
            for op in ('add', 'max', 'min'):
                source, x, y = case(dtype, op)
                for backend in ('host', 'emu'):
                    got = outputs(source, backend, x)
                    ok = not isinstance(got, str) and got[0].tobytes() == y.tobytes() and got[1].tobytes() == x[0].tobytes()
                    passed, failed = passed + ok, failed + (not ok)
                    if not ok:
                        print(f'{backend}, {op} {dtype}:', got if isinstance(got, str) else 'other bytes', source, sep='\n')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
