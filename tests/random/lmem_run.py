"""Programs on tensors in lanes for the drivers lmem_golden.py and lmem_random.py: running them on both back ends."""
import sys
import os
import subprocess

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa

BACKENDS = (['--backend', 'host', '-O0'], ['--backend', 'host', '-O2'], ['--backend', 'emu'])


def run(folder, text, inputs, outputs, backend, options=()):
    """Arrays by name, and what the tool says; arrays are None when it fails."""
    path = os.path.join(folder, 'program.tik')
    with open(path, 'w') as f:
        f.write(text)
    cmd = [TIKC, 'run', path, *backend, *options]
    for name, a in inputs.items():
        np.save(os.path.join(folder, name + '.npy'), a)
        cmd += ['--in', f'{name}={os.path.join(folder, name)}.npy']
    for name in outputs:
        cmd += ['--out', f'{name}={os.path.join(folder, "out_" + name)}.npy']
    p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if p.returncode != 0:
        return None, p.stdout
    return {n: np.load(os.path.join(folder, 'out_' + n + '.npy')) for n in outputs}, p.stdout


def check(folder, text):
    """The names of the diagnostics of a program."""
    path = os.path.join(folder, 'program.tik')
    with open(path, 'w') as f:
        f.write(text)
    p = subprocess.run([TIKC, 'check', path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return p.stdout


def same_bits(a, b):
    return a.shape == b.shape and a.dtype.itemsize == b.dtype.itemsize and a.tobytes() == b.tobytes()
