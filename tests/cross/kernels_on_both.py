#!/usr/bin/python3
"""Runs the kernels of tests/cross/kernels and of the operator package natively and in the emulator on
the same arrays: their outputs and how they end (exit code, rule of a fault) must be equal, the outputs
must be those of the reference model on the trace that CPython records, and those that the program says
it expects (programs.py). Kernels of very large tensors are compiled for both and verified.

    kernels_on_both.py [FILE...]

The tool is $TIKC, else build/tikc. Ends with a line "N passed, N failed"; exit code 1 if there is a
difference."""
import contextlib
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa
import programs  # noqa: E402
import trace_machine  # noqa: E402
import record  # noqa: E402  (trace_machine makes tik_stub known)
from ref_model import Fault  # noqa: E402

LARGE = 1 << 22  # elements; kernels with larger tensors are only compiled
NPY = {"bfloat16": "uint16", "bool": "uint8"}
SEEDS = 2
modelled = expected = 0


def kernels(program):
    """(name, arguments, trace) of each kernel that the program builds."""
    with contextlib.redirect_stdout(sys.stderr):
        text = record.record(*program)
    for part in re.split(r"^(?=kernel )", text, flags=re.M)[1:]:
        lines = part.splitlines()
        yield lines[0][len("kernel "):], trace_machine.arguments(lines[1:]), part


def ends(program, kernel, args, backend, folder):
    """What the run leaves: exit code, first line of its errors, outputs."""
    command = [TIKC, "run"] + programs.arguments(program) + \
        ["--kernel", kernel, "--backend", backend, "-O", "1"]
    outs = {}
    for role, name, _, _ in args:
        if role == "input":
            command += ["--in", "%s=%s" % (name, os.path.join(folder, name + ".npy"))]
        elif role in ("output", "global"):
            outs[name] = os.path.join(folder, "%s.%s.npy" % (name, backend))
            command += ["--out", "%s=%s" % (name, outs[name])]
    run = subprocess.run(command, capture_output=True, text=True, timeout=100)
    fault = re.findall(r"\[([a-z-]+)\]$", run.stderr, re.M)
    data = {n: np.load(f).reshape(-1) for n, f in outs.items()} if run.returncode == 0 else {}
    return run.returncode, fault[-1:] if run.returncode else [], data


def said(program, word, kernel, name):
    """The directive of a name; one for this kernel goes first."""
    texts = {n: t for w, n, t in programs.directives(program.path) if w == word}
    return texts.get("%s.%s" % (kernel, name), texts.get(name))


def fill(program, kernel, args, folder, seed):
    rng = np.random.default_rng(seed)
    arrays = {}
    for role, name, dtype, shape in args:
        if role == "input":
            text = said(program, "input", kernel, name)
            data = rng.integers(0, 8, shape) if text is None else \
                np.resize(eval(text, {"np": np, "rng": rng}), shape)
            arrays[name] = data.astype(NPY.get(dtype, dtype))
            np.save(os.path.join(folder, name + ".npy"), arrays[name])
    return arrays


def same(a, b):
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def model(trace, arrays):
    """How the reference model ends, as ends() tells it."""
    try:
        return 0, [], trace_machine.run(trace, "Ascend310P3", arrays)
    except Fault as fault:
        return 5, [fault.args[0]], {}


def against_model(host, trace, arrays):
    """Text that tells how the run differs from the reference model."""
    global modelled
    code, fault, data = model(trace, arrays)
    if (code, fault) != host[:2]:
        return "ends with %s %s, the reference model with %s %s" % (host[:2] + (code, fault))
    modelled += code == 0
    wrong = [n for n, got in host[2].items() if not same(got, data[n].reshape(-1))]
    return "the reference model differs in %s" % ", ".join(wrong) if wrong else ""


def against_expected(program, kernel, host, arrays):
    """Text that tells which output is not what the program says it is."""
    global expected
    slack = float(said(program, "tolerance", kernel, None) or 0)
    for name, got in host[2].items():
        text = said(program, "expect", kernel, name)
        if text is None:
            continue
        want = np.asarray(eval(text, dict(arrays, np=np))).astype(got.dtype).reshape(-1)
        expected += 1
        if want.size != got.size or not np.allclose(got, want, rtol=slack, atol=slack):
            bad = np.flatnonzero(got[:want.size] != want[:got.size])
            at = int(bad[0]) if bad.size else min(got.size, want.size)
            return "%s is not what is expected, first at %d: %s, not %s" % (
                name, at, got[at:at + 4], want[at:at + 4])
    return ""


def compare(program, kernel, args, trace, seed):
    """Text that tells the difference; empty when there is none."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = fill(program, kernel, args, folder, seed)
        host, emu = [ends(program, kernel, args, b, folder) for b in ("host", "emu")]
    if host[:2] != emu[:2] or host[0] == 2:
        return "native %s %s, emulator %s %s" % (host[:2] + emu[:2])
    if any(not same(host[2][n], emu[2][n]) for n in host[2]):
        return "native and emulated outputs differ"
    told = any(w == "expect" for w, _, _ in programs.directives(program.path))
    if told and host[0] != 0:
        return "ends with %s %s" % host[:2]
    return against_model(host, trace, arrays) or against_expected(program, kernel, host, arrays)


def compiled(program, kernel):
    """What is wrong with a kernel that is too large to run; empty when nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        build = [TIKC, "build"] + programs.arguments(program) + ["--kernel", kernel]
        blob, shared = os.path.join(folder, "k.tkb"), os.path.join(folder, "k.so")
        for command in (build + ["-o", blob], [TIKC, "verify", blob], build + ["--emit", "shared", "-o", shared]):
            run = subprocess.run(command, capture_output=True, text=True, timeout=100)
            if run.returncode:
                return "%s ends with %d: %s" % (command[1], run.returncode, run.stderr[:400])
    return ""


def outcomes(program, kernel, args, trace):
    """Of each run what is wrong, empty when nothing is."""
    if max([int(np.prod(a[3], dtype=object)) for a in args] + [0]) > LARGE:
        return [compiled(program, kernel)]
    return [compare(program, kernel, args, trace, seed) for seed in range(SEEDS)]


def main():
    listed = [p for f in sys.argv[1:] for p in programs.of_file(f)] or programs.kernels()
    good = bad = 0
    for program in listed:
        for kernel, args, trace in kernels(program):
            for wrong in outcomes(program, kernel, args, trace):
                good += not wrong
                bad += bool(wrong)
                if wrong:
                    print("%s, kernel %s: %s" % (programs.shown(program), kernel, wrong))
    print("%d runs like the reference model, %d outputs as the programs say" % (modelled, expected))
    print("%d passed, %d failed" % (good, bad))
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
