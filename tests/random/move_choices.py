#!/usr/bin/python3
"""Choices of moves (docs/choices.md, D5, D9, D12) on both back ends against numpy. Ends with 'N passed, N failed'."""
import os
import subprocess
import sys
import tempfile

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa

RNG = np.random.default_rng(12)
HEAD = '''from tbe import tik
t = tik.Tik()
x = t.Tensor("{0}", ({1},), name="x", scope=tik.scope_gm)
y = t.Tensor("{0}", ({1},), name="y", scope=tik.scope_gm)
ub = t.Tensor("{0}", (4096,), name="ub", scope=tik.scope_ubuf)
'''
TAIL = 't.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])\n'

# One block of 16 elements goes over the 4 after it; bursts that meet those after them.
OVERLAP = HEAD.format('float16', 1024) + '''t.data_move(ub, x, 0, 1, 64, 0, 0)
t.data_move(ub[{0}], ub[{1}], 0, {2}, {3}, {4}, {5})
t.data_move(y, ub, 0, 1, 64, 0, 0)
''' + TAIL
SUM = HEAD.format('float16', 16) + '''t.data_move(ub, x, 0, 1, 1, 0, 0)
t.data_move(y, ub, 0, 1, 1, 0, 0)
t.set_atomic_add(2)
t.data_move(y, ub, 0, 1, 1, 0, 0)
t.set_atomic_add(0)
''' + TAIL
END = HEAD.format('float16', 20) + '''t.data_move(ub, x[4], 0, 1, 1, 0, 0)
n = t.Scalar("int32", init_value=1)
m = t.Scalar("float16")
m.set_as(ub[0])
with t.if_scope(m > -100.0):
    n.set_as(2)
t.data_move(ub, x, 0, 1, n, 0, 0)
t.data_move(y, ub, 0, 1, 1, 0, 0)
''' + TAIL


def run(text, soc, backend, choice, x):
    """(exit code, messages, output)"""
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, 'k.tik')
        open(path, 'w').write(text)
        np.save(os.path.join(d, 'x.npy'), x)
        p = subprocess.run([TIKC, 'run', path, '--soc', soc, '--backend', backend, '--in', f'x={d}/x.npy', '--out',
                            f'y={d}/y.npy'] + (['--choice', choice] if choice else []), capture_output=True, text=True)
        return p.returncode, p.stdout + p.stderr, np.load(f'{d}/y.npy') if p.returncode == 0 else None


def ascending(x, dst, src, nburst, burst, src_stride, dst_stride):
    y = x.copy()
    for i in range(nburst):
        for b in range(burst):
            s, d = src + (i * (burst + src_stride) + b) * 16, dst + (i * (burst + dst_stride) + b) * 16
            y[d:d + 16] = y[s:s + 16].copy()
    return y


def bursts(x, dst, src, nburst, burst, src_stride, dst_stride):
    y = x.copy()
    for i in range(nburst):
        s, d = src + i * (burst + src_stride) * 16, dst + i * (burst + dst_stride) * 16
        y[d:d + burst * 16] = y[s:s + burst * 16].copy()
    return y


def cases():
    x = RNG.standard_normal(1024).astype(np.float16)
    for shape in ((16, 0, 1, 8, 0, 0), (0, 16, 1, 8, 0, 0), (32, 0, 5, 3, 1, 0), (0, 32, 6, 2, 0, 1), (48, 0, 4, 1, 3, 0),
                  (32, 0, 6, 2, 0, 0), (16, 0, 3, 4, 0, 0)):
        text = OVERLAP.format(*shape)
        yield f'overlap {shape}', text, 'D12=ascending', 'Ascend310P3', x, ascending(x, *shape)
        yield f'overlap {shape}', text, None, 'Ascend310P3', x, bursts(x, *shape)
        yield f'overlap {shape}', text, 'D12=error', 'Ascend310P3', x, 'overlap-forbidden'
    big = np.array([65504, -65504, 1, 40000] * 4, np.float16)
    with np.errstate(all='ignore'):
        twice = big + big
    yield 'sum', SUM, 'D5=infinite', 'Ascend310P3', big, twice
    yield 'sum', SUM, None, 'Ascend310P3', big, np.clip(twice, -65504, 65504)
    small = np.arange(20, dtype=np.float16)
    yield 'end', END, None, 'Ascend310P3', small, np.concatenate([small[:16], np.zeros(4, np.float16)])
    yield 'end', END, 'gm-bound=exact', 'Ascend310P3', small, 'tensor-overflow'


def verdict(backend, text, choice, soc, x, want):
    code, messages, got = run(text, soc, backend, choice, x)
    if isinstance(want, str):
        return None if code in (1, 5) and f'[{want}]' in messages else f'exit code {code}\n{messages}'
    if code != 0:
        return f'exit code {code}\n{messages}'
    n = len(want) if text != END else 16
    same = got[:n].tobytes() == want[:n].astype(np.float16).tobytes()
    return None if same else f'{got[:n]} instead of {want[:n]}'


def main():
    passed = failed = 0
    for name, text, choice, soc, x, want in cases():
        for backend in ('host', 'emu'):
            wrong = verdict(backend, text, choice, soc, x, want)
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
            if wrong:
                print(f'{name}, {choice}, {backend}: {wrong}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
