#!/usr/bin/python3
"""Control, cores and run-time shapes against models written in numpy from the language's description: what
the kernels of tests/random/control leave in memory, and with which rule they end, on both back ends and as a
blob. Instructions covered here: reserve (shapes known at run time), blocks (a Scalar block_num),
loop_bounds, block_barrier, set_flag, wait_flag, pipe_barrier. Ends with 'N passed, N failed'."""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa

HERE = os.path.dirname(os.path.abspath(__file__))
CORES = 8


def count(n):
    return np.array([n] + [0] * 7, dtype=np.int32)


def dynamic_buffers(n, size):
    x = (np.arange(size) % 512).astype(np.float16)
    y = np.zeros(size, dtype=np.float16)
    arrays = {"x": x, "n": count(n), "y": y}
    blocks = x[:2 * n * 16].reshape(2, n, 16) + np.float16(1)
    if n > 1:
        blocks[:, 1, 15] = 7
    want = y.copy()
    want[:2 * n * 16] = (blocks + np.float16(1)).reshape(-1)
    return arrays, want


def many_blocks(n):
    want = np.zeros((64, 8), dtype=np.int32)
    want[:n] = 5
    want[:n, 0] = np.arange(n)
    want[:n, 1] = 1
    return {"n": count(n), "y": np.zeros(512, dtype=np.int32)}, want.reshape(-1)


def barrier():
    x = np.arange(64, dtype=np.int32)
    a = x.reshape(CORES, 8).copy()
    for _ in range(3):
        a = a + np.roll(a, -1, axis=0)
    a[:, 7] = 3 * np.arange(CORES)
    return {"x": x}, a.reshape(-1)


def barrier_left(who):
    want = np.zeros((4, 8), dtype=np.int32)
    want[:, 0] = who
    return {"x": count(who)}, want.reshape(-1)


def flags():
    x = np.arange(256).astype(np.float16)
    return {"x": x}, (x + np.float16(2)) * np.float16(2)


def run_time_flags(fill, drain):
    """Ids that only the run knows: 3 sets and 3 waits in turn are right, what else there is ends with its rule."""
    x = np.array([fill, drain] + [0] * 6, dtype=np.int32)
    return {"x": x}, x * 2


def loop_formulas(begin, end, at, new_begin, new_end):
    """for (k = 0; k < end - begin; k++), the variable is k + begin wherever it stands."""
    x = np.array([begin, end, at, new_begin, new_end, 0, 0, 0], dtype=np.int32)
    y = np.zeros(32, dtype=np.int32)
    k = 0
    while k < end - begin:
        if k < 15:
            y[1 + k] = k + begin
        if k == at:
            begin, end = new_begin, new_end
        if k < 15:
            y[16 + k] = k + begin
        k += 1
    y[0] = k
    return {"x": x}, np.tile(y, 3)


def loop_bounds(high, low, unsigned):
    x = np.array([high, low, unsigned, 0, 0, 0, 0, 0], dtype=np.int32)
    end = high * 2 ** 32 + low, (unsigned - 2) % 2 ** 32
    if max(end) > 2 ** 31:
        return {"x": x}, "loop-bounds"
    return {"x": x}, np.array([max(end[0], 0), end[1], 0, 0, 0, 0, 0, 0], dtype=np.int32)


def run(file, arrays, folder, *options):
    out = os.path.join(folder, "out.npy")
    command = [TIKC, "run", file, "--out", "y=" + out, *options]
    for name, data in arrays.items():
        path = os.path.join(folder, name + ".npy")
        np.save(path, data)
        command += ["--in", "%s=%s" % (name, path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    fault = re.findall(r"error: .* \[([a-z-]+)\]$", done.stderr, re.M)
    return fault[0] if fault else np.load(out) if done.returncode == 0 else done.stderr


def cases():
    for n in (1, 2, 5, 100):
        yield ("dynamic_buffers", *dynamic_buffers(n, 3232))
    yield "dynamic_buffers", dynamic_buffers(5, 3232)[0] | {"n": count(102)}, "tensor-overflow"
    yield "dynamic_buffers", dynamic_buffers(5, 3232)[0] | {"n": count(4096)}, "capacity"
    yield "dynamic_buffers", dynamic_buffers(5, 3232)[0] | {"n": count(2 ** 31 - 1)}, "capacity"
    yield "dynamic_buffers", dynamic_buffers(5, 3232)[0] | {"n": count(-1)}, "range-burst"
    for n in (1, 7, 8, 9, 64):
        yield ("many_blocks", *many_blocks(n))
    yield "many_blocks", many_blocks(1)[0] | {"n": count(0)}, "block-count"
    yield "many_blocks", many_blocks(1)[0] | {"n": count(66)}, "tensor-overflow"
    yield "many_blocks", many_blocks(1)[0] | {"n": count(65536)}, "block-count"
    yield "many_blocks", many_blocks(1)[0] | {"n": count(-1)}, "block-count"
    yield ("barrier", *barrier())
    yield ("barrier_left", *barrier_left(9))
    for who in (0, 3):
        yield "barrier_left", barrier_left(who)[0], "block-barrier"
    yield ("flags", *flags())
    for fill, drain in ((3, 3), (0, 0), (8, 8), (5, 2)):
        yield ("run_time_flags", *run_time_flags(fill, drain))
    yield "run_time_flags", run_time_flags(2, 3)[0], "sync-deadlock"
    yield "run_time_flags", run_time_flags(9, 8)[0], "event-id"
    yield "run_time_flags", run_time_flags(-1, 0)[0], "sync-double-set"
    for bounds in ((0, 2, 0, 0, 6), (0, 10, 2, 0, 0), (0, 6, 1, 2, 6), (0, 6, 9, 9, 9), (3, 3, 0, 0, 9), (5, -1, 0, 0, 9),
                   (-7, 3, 1, -9, 3), (-2, 4, 2, 3, 3), (0, 8, 3, 4, 9), (0, 3, 1, -4, -2), (2, 9, 0, -40, -30),
                   (-2 ** 31, -2 ** 31 + 4, 3, 0, 7), (2 ** 31 - 4, 2 ** 31 - 1, 1, 5, 8), (-2 ** 31, 2 ** 31 - 1, 1, 0, 1)):
        yield ("loop_formulas", *loop_formulas(*bounds))
    for bounds in ((0, 0, 2), (0, 7, 5), (0, -1, 2), (-1, 0, 3), (-1, 2 ** 31 - 1, 2), (1, 2, 2), (0, 1, 1), (0, 1, 0),
                   (2 ** 31 - 1, 0, 2), (-2 ** 31, 5, 4)):
        yield ("loop_bounds", *loop_bounds(*bounds))
    yield "flags_of_cores", {"x": count(0)}, np.arange(CORES * 8, dtype=np.int32)
    yield "flags_of_cores", {"x": count(5)}, "sync-deadlock"


def same(got, want):
    if isinstance(want, str) or isinstance(got, str):
        return isinstance(got, str) and got == want
    return np.array_equal(got.reshape(-1), want)


def main():
    good = bad = 0
    for name, arrays, want in cases():
        source = os.path.join(HERE, "control", name + ".tik")
        with tempfile.TemporaryDirectory() as folder:
            blob = os.path.join(folder, name + ".tkb")
            subprocess.run([TIKC, "build", source, "-o", blob], check=True, capture_output=True)
            for file, options in ((source, ["--backend", "host", "-O", "1"]),
                                  (source, ["--backend", "emu"]), (blob, [])):
                got = run(file, arrays, folder, *options)
                if same(got, want):
                    good += 1
                    continue
                bad += 1
                print("%s %s %s: %s, expected %s" % (name, options, arrays.get("n"), got, want))
    print("%d passed, %d failed" % (good, bad))
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
