#!/usr/bin/python3
"""Runs the kernels of tests/oracle/kernels natively and in the emulator on the same arrays: their outputs
and how they end (exit code, rule of a fault) must be equal.

    kernels_on_both.py [FILE...]

The tool is $TIKC, else build/tikc. Ends with a line "N passed, N failed"; exit code 1 if there is a
difference."""
import glob
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
TIKC = os.environ.get("TIKC", os.path.join(ROOT, "build", "tikc"))
LARGE = 1 << 22  # elements; kernels with larger tensors are only staged
NPY = {"bfloat16": "uint16", "bool": "uint8"}


def kernels(path):
    """(name, [(role, tensor, dtype, shape)]) of each kernel that the program builds."""
    run = subprocess.run([TIKC, "build", path, "--emit", "trace", "-o", "-"], capture_output=True,
                         text=True, check=True)
    for part in re.split(r"^kernel ", run.stdout, flags=re.M)[1:]:
        args = re.findall(r"^(input|output|workspace) (\w+) (\w+) \((.*)\)$", part, re.M)
        yield part.split("\n")[0], [(role, name, dtype, tuple(map(int, shape.split(", "))))
                                    for role, name, dtype, shape in args]


def ends(path, kernel, args, backend, folder):
    """What the run leaves: exit code, first line of its errors, bytes of the outputs."""
    command = [TIKC, "run", path, "--kernel", kernel, "--backend", backend, "-O", "1"]
    outs = []
    for role, name, dtype, _ in args:
        if role == "input":
            command += ["--in", "%s=%s" % (name, os.path.join(folder, name + ".npy"))]
        elif role == "output":
            outs.append(os.path.join(folder, "%s.%s.npy" % (name, backend)))
            command += ["--out", "%s=%s" % (name, outs[-1])]
    run = subprocess.run(command, capture_output=True, text=True, timeout=100)
    fault = re.findall(r"\[([a-z-]+)\]$", run.stderr, re.M)
    data = [open(f, "rb").read() for f in outs] if run.returncode == 0 else []
    return run.returncode, fault[-1:], data


def fill(args, folder, seed):
    rng = np.random.default_rng(seed)
    for role, name, dtype, shape in args:
        if role == "input":
            data = rng.integers(0, 8, shape).astype(NPY.get(dtype, dtype))
            np.save(os.path.join(folder, name + ".npy"), data)


def main():
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "kernels", "*.tik")))
    good = bad = 0
    for path in files:
        for kernel, args in kernels(path):
            if max(np.prod(shape, dtype=object) for _, _, _, shape in args) > LARGE:
                continue
            for seed in range(2):
                with tempfile.TemporaryDirectory() as folder:
                    fill(args, folder, seed)
                    host, emu = [ends(path, kernel, args, b, folder) for b in ("host", "emu")]
                if host == emu and host[0] != 2:
                    good += 1
                    continue
                bad += 1
                print("%s, kernel %s: native %s %s, emulator %s %s%s" % (
                    os.path.relpath(path, ROOT), kernel, host[0], host[1], emu[0], emu[1],
                    "" if host[2] == emu[2] else "; the outputs differ"))
    print("%d passed, %d failed" % (good, bad))
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
