"""The kernel programs of the trace tests, and what their first comments say.

A program is a file of samples/, of tests/cross/kernels/, or of the operator package
tests/cross/operators/impl/. Before its first import it may hold, each on one line or continued by "#   " lines,

    # call: EXPR            evaluated in the program's name space (an operator; may be given several times)
    # input NAME: EXPR      contents of a global tensor; numpy is np, a seeded generator rng
    # expect NAME: EXPR     what an output must hold: a numpy expression over the names of the inputs
    # tolerance: NUMBER     results of expect may differ by that much

NAME may be kernel.NAME. A file below operators/ without a call is a helper of others."""
import sys
import collections
import glob
import os
import re
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa

Program = collections.namedtuple("Program", "path call")


def directives(path):
    """[(word, name, text)] of the first comments."""
    found = []
    for line in open(path, encoding="utf-8"):
        if line.startswith(("import ", "from ", "def ", "class ")):
            break
        m = re.match(r"# (call|input|expect|tolerance)(?: ([\w.]+))?: (.*)$", line)
        if m:
            found.append(list(m.groups()))
        elif found and line.startswith("#   "):
            found[-1][2] += " " + line[4:].strip()
    return found


def of_file(path):
    calls = [text for word, _, text in directives(path) if word == "call"]
    if calls:
        return [Program(path, call) for call in calls]
    return [] if os.sep + "operators" + os.sep in path else [Program(path, None)]


def files(*folders):
    found = []
    for folder in folders:
        for ending in ("py", "tik"):
            found += glob.glob(os.path.join(ROOT, folder, "**", "*." + ending), recursive=True)
    return sorted(os.path.normpath(f) for f in found if not f.endswith("__init__.py"))


def kernels():
    """Programs of the trace tests without the samples."""
    return [p for f in files("tests/cross/kernels", "tests/cross/operators") for p in of_file(f)]


# Samples with methods whose calls the recording stub does not know: the matrix unit, tensors in lanes.
# samples_vs_numpy.py checks what they compute. reference is no kernel: it computes what the samples should.
NOT_TRACED = ("reference", "lmem_bias_add", "lmem_conv", "lmem_round_trip", "matmul_int8", "matmul_f16", "conv_int8", "nd_nz", "atomic_sum")


def samples():
    return [p for f in files("samples") for p in of_file(f)
            if os.path.splitext(os.path.basename(f))[0] not in NOT_TRACED]


def shown(program):
    return os.path.relpath(program.path, ROOT) + (" --call '%s'" % program.call if program.call else "")


def arguments(program):
    """What the tool is told about the program."""
    return [program.path] + (["--call", program.call] if program.call else [])
