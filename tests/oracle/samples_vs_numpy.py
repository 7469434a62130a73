#!/usr/bin/python3
"""Runs every sample on both back ends with random inputs and compares the results with numpy, bit for
bit. The tool is $TIKC, else build/tikc. Ends with a line "N passed, N failed"."""
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
RNG = np.random.default_rng(7)


def floats(dtype, *shape):
    """Random bits: infinities, NaNs and subnormals are among them."""
    bits = {"float16": np.uint16, "float32": np.uint32}[dtype]
    return RNG.integers(0, np.iinfo(bits).max, shape, dtype=bits, endpoint=True).view(dtype)


def ints(*shape):
    return RNG.integers(-2 ** 15, 2 ** 15, shape, dtype=np.int16)


def quiet(x):
    """Results of arithmetic: every NaN is the canonical one."""
    x = x.copy()
    x[np.isnan(x)] = np.array({2: 0x7e00, 4: 0x7fc00000}[x.itemsize],
                              {2: np.uint16, 4: np.uint32}[x.itemsize]).view(x.dtype)
    return x


def larger(a, b):
    return quiet(np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(a >= b, a, b)).astype(a.dtype))


def smaller(a, b):
    return quiet(np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(a <= b, a, b)).astype(a.dtype))


def relu(x):
    return quiet(np.where(np.isnan(x) | (x > 0), x, 0).astype(x.dtype))


def f16_doubled(x):
    return quiet((x.astype(np.float32) * 2).astype(np.float16))


def copied():
    x = floats("float16", 512)
    return {"src_gm": x}, {"dst_gm": x}


def unaligned():
    x = floats("float16", 23)
    return {"src_gm": x}, {"dst_gm": f16_doubled(x)}


def large():
    x = floats("float16", 126976, 2)
    return {"src_gm": x}, {"dst_gm": f16_doubled(x)}


def added(dtype):
    a, b = floats(dtype, 1 << 18), floats(dtype, 1 << 18)
    total = (a.astype(np.float32) + b.astype(np.float32)).astype(dtype)
    return {"a": a, "b": b}, {"c": quiet(total)}


def scaled():
    x = floats("float32", 4096)
    return {"x": x}, {"y": quiet(quiet(x * np.float32(0.5)) + np.float32(1))}


def masked():
    x = floats("float16", 1024)
    lanes = np.arange(1024) % 128
    first = np.where(lanes < 100, relu(x).view(np.uint16), 0).astype(np.uint16).view(np.float16)
    even = np.where(lanes % 2 == 0, relu(x).view(np.uint16), 0).astype(np.uint16).view(np.float16)
    counted = np.where(np.arange(1024) < 1000, f16_doubled(x).view(np.uint16), 0)
    return {"x": x}, {"out0": first, "out1": even,
                      "out2": counted.astype(np.uint16).view(np.float16)}


def clamped():
    x = floats("float16", 2048)
    return {"x": x}, {"y": smaller(larger(x, np.float16(-1)), np.float16(6))}


def bits():
    x, y = ints(256), ints(256)
    return {"x": x, "y": y}, {"low": x & 255, "high": ~(x & 255) | y}


def strided():
    x = RNG.random((8, 80), dtype=np.float32)
    spread = np.zeros((8, 80), np.float32)
    spread[:, :32] = x[:, :32]
    return {"src": x}, {"dense": np.ascontiguousarray(x[:, :32]), "spread": spread}


def padded():
    x = floats("float16", 64)
    out = np.ones((64, 16), np.float16)
    out.view(np.uint16)[:, 0] = x.view(np.uint16)
    return {"src": x}, {"dst": out}


def dynamic(tiles, tail, mode, start):
    n = 1 << 20
    x = floats("float16", n)
    y = np.zeros(n, np.float16)
    end = start + tiles * 1024 + (-(-tail // 128) * 128 if 0 < tail <= 1024 else 0)
    factor = np.float32({0: 2, 1: -1}.get(mode, 0.5))
    y[start:end] = quiet((x[start:end].astype(np.float32) * factor).astype(np.float16))
    tiling = np.array([tiles, tail, mode, start, 0, 0, 0, 0], np.int32)
    return {"x": x, "tiling_gm": tiling}, {"y": y}


CASES = [
    ("example1_copy", "example1_copy", copied), ("example2_unaligned", "example2_unaligned", unaligned),
    ("example3_large", "example3_large", large),
    ("add_tiled", "add_float16", lambda: added("float16")),
    ("add_tiled", "add_float32", lambda: added("float32")),
    ("scale", "scale", scaled), ("relu_masks", "relu_masks", masked), ("clamp", "clamp", clamped),
    ("bits", "bits", bits), ("strided_move", "strided_move", strided),
    ("pad_to_l1", "pad_to_l1", padded),
    ("dynamic_tiling", "dynamic_scale", lambda: dynamic(3, 0, 0, 0)),
    ("dynamic_tiling", "dynamic_scale", lambda: dynamic(0, 1024, 1, 16)),
    ("dynamic_tiling", "dynamic_scale", lambda: dynamic(7, 300, 2, 4096)),
]


def run(tikc, sample, kernel, backend, inputs, expected, folder):
    """Text that tells what is wrong; empty when all outputs are equal."""
    cmd = [tikc, "run", os.path.join(ROOT, "samples", sample + ".tik"), "--backend", backend,
           "--kernel", kernel]
    for name, array in inputs.items():
        path = os.path.join(folder, name + ".npy")
        np.save(path, array)
        cmd += ["--in", "%s=%s" % (name, path)]
    for name in expected:
        cmd += ["--out", "%s=%s" % (name, os.path.join(folder, "out_%s.npy" % name))]
    p = subprocess.run(cmd, capture_output=True, text=True)
    if p.returncode != 0:
        return "exit code %d\n%s" % (p.returncode, p.stderr)
    for name, array in expected.items():
        got = np.load(os.path.join(folder, "out_%s.npy" % name))
        if got.dtype != array.dtype or got.size != array.size:
            return "%s is %s of %d" % (name, got.dtype, got.size)
        kind = "u%d" % array.itemsize
        bad = np.flatnonzero(got.reshape(-1).view(kind) != array.reshape(-1).view(kind))
        if bad.size:
            i = bad[0]
            return "%s: %d elements differ, first at %d: %r, not %r" % (
                name, bad.size, i, got.reshape(-1)[i], array.reshape(-1)[i])
    return ""


def main():
    tikc = os.environ.get("TIKC", os.path.join(ROOT, "build", "tikc"))
    failed = 0
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        for sample, kernel, case in CASES:
            inputs, expected = case()
            for backend in ("host", "emu"):
                wrong = run(tikc, sample, kernel, backend, inputs, expected, folder)
                if wrong:
                    failed += 1
                    print("%s, kernel %s, %s: %s" % (sample, kernel, backend, wrong))
    print("%d passed, %d failed" % (2 * len(CASES) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
