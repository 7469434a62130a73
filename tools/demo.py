#!/usr/bin/python3
"""Runs the samples on both back ends and compares with numpy. usage: demo.py TIKC SAMPLES"""
import os
import subprocess
import sys
import tempfile

import numpy as np


def random_f16(rng, n):
    """float16 from random bit patterns: infinities, NaN and denormals included."""
    x = rng.integers(0, 65536, n, dtype=np.uint16)
    x[:8] = [0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x0001, 0x83FF, 0x0000, 0x8000][: min(8, n)]
    return x.view(np.float16)


def doubled(x):
    """x + x in float16; a NaN result is the canonical one."""
    with np.errstate(over='ignore', invalid='ignore'):
        y = x + x
    bits = y.view(np.uint16).copy()
    bits[np.isnan(y)] = 0x7E00
    return bits.view(np.float16)


def tool(tikc, *args):
    p = subprocess.run([tikc, *args], capture_output=True, text=True)
    if p.returncode:
        sys.exit(f'tikc {" ".join(args)}: exit code {p.returncode}\n{p.stderr}')
    return p.stdout


def run(tikc, path, backend, tensors, out):
    args = ['run', path, '--backend', backend, '--out', f'{out[0]}={out[1]}']
    for name, file in tensors:
        args += ['--in', f'{name}={file}']
    tool(tikc, *args)
    return np.load(out[1])


def show(values):
    return ' '.join(f'{v:g}' for v in values[:6])


def main():
    tikc, samples = sys.argv[1:3]
    rng = np.random.default_rng(1)
    cases = [
        ('example1_copy.tik', (512,), lambda x: x, 'copies 512 float16'),
        ('example2_unaligned.tik', (23,), doubled, 'doubles 23 float16 with unaligned moves'),
        ('example3_large.tik', (126976, 2), doubled, 'doubles 2 x 126976 float16 through a 248 KiB buffer'),
    ]
    print(tool(tikc, '--version').strip())
    with tempfile.TemporaryDirectory() as tmp:
        for name, shape, expect, what in cases:
            path = os.path.join(samples, name)
            x = random_f16(rng, int(np.prod(shape))).reshape(shape)
            np.save(f'{tmp}/x.npy', x)
            want = expect(x.reshape(-1)).view(np.uint16)
            print(f'\n{name}: {what}')
            blob = f'{tmp}/{name}.tkb'
            tool(tikc, 'build', path, '-o', blob)
            print('  ' + tool(tikc, 'verify', blob).strip().split('\n')[-1])
            for label, target, backend in (('native code', path, 'host'), ('emulator', blob, 'emu')):
                y = run(tikc, target, backend, [('src_gm', f'{tmp}/x.npy')], ('dst_gm', f'{tmp}/y.npy'))
                ok = np.array_equal(y.reshape(-1).view(np.uint16), want)
                print(f'  {label:12s} x = {show(x.reshape(-1))} ...  y = {show(y.reshape(-1))} ...  '
                      f'{"exact" if ok else "WRONG"}')
                if not ok:
                    return 1
        path = os.path.join(samples, 'example3_large.tik')
        p = subprocess.run([tikc, 'check', path, '--soc', 'Ascend910B'], capture_output=True, text=True)
        print('\nexample3_large.tik on Ascend910B is refused:\n' + p.stderr)
        return 0 if p.returncode == 1 else 1


if __name__ == '__main__':
    sys.exit(main())
