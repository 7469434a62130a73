#!/usr/bin/python3
"""Runs every sample on both back ends with random inputs and compares the results with samples/reference.py: bit for
bit, or within the tolerance of the sample where sums and functions round in another order; then both back ends
still give the same bits. The tool is $TIKC, else build/tikc. Ends with a line "N passed, N failed"."""
import os
import subprocess
import sys
import tempfile

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa
sys.path.append(os.path.join(ROOT, 'samples'))
import reference  # noqa: E402

RNG = np.random.default_rng(7)


def floats(dtype, *shape):
    """Random bits: infinities, NaNs and subnormals are among them."""
    bits = {"float16": np.uint16, "float32": np.uint32}[dtype]
    return RNG.integers(0, np.iinfo(bits).max, shape, dtype=bits, endpoint=True).view(dtype)


def ints(*shape):
    return RNG.integers(-2 ** 15, 2 ** 15, shape, dtype=np.int16)


def copied(n=512):
    return {"src_gm": floats("float16", n)}


def large():
    return {"src_gm": floats("float16", 126976, 2)}


def added(dtype):
    return {"a": floats(dtype, 1 << 18), "b": floats(dtype, 1 << 18)}


def in_turn():
    return {"a": floats("float32", 1 << 16), "b": floats("float32", 1 << 16)}


def dynamic(tiles, tail, mode, start):
    return {"x": floats("float16", 1 << 20),
            "tiling_gm": np.array([tiles, tail, mode, start, 0, 0, 0, 0], np.int32)}


def normal(factor, *shape):
    return {"x": (RNG.standard_normal(shape) * factor).astype(np.float32)}


def layernorm():
    x = (RNG.standard_normal((32, 768)) * 3 + 5).astype(np.float32)
    gamma, beta = RNG.standard_normal((2, 768)).astype(np.float32)
    return {"x": x, "gamma": gamma, "beta": beta}


def boxes():
    corner = RNG.integers(0, 20, (64, 2))
    box = np.zeros((64, 8), np.float16)
    box[:, 0:2] = corner
    box[:, 2:4] = corner + RNG.integers(1, 12, (64, 2))
    return {"box": box}


def matmul_int8():
    a, b = (RNG.integers(-128, 128, (512, 512), dtype=np.int8) for _ in range(2))
    scale = (2.0 ** -RNG.integers(9, 13, 512) * RNG.uniform(0.5, 1, 512)).astype(np.float32)
    words = scale.view(np.uint32).astype(np.uint64) | np.uint64((-128 & 0x1ff) << 37 | 1 << 46 | 1 << 47)
    return {"a": reference.columns(a, 32), "b": reference.columns(b.T, 32), "words": words}


def matmul_f16():
    a, b = (RNG.standard_normal((256, 256)).astype(np.float16) for _ in range(2))
    return {"a": reference.columns(a, 16), "b": reference.columns(b.T, 16)}


def bytes_of(*shape):
    return RNG.integers(-128, 128, shape, dtype=np.int8)


# Relative and absolute tolerance of samples whose order of rounding is not numpy's.
CLOSE = {"softmax": (1e-5, 1e-9), "layernorm": (1e-4, 1e-5), "gelu": (1e-5, 1e-6)}

# sample, kernel, inputs
CASES = [
    ("example1_copy", "example1_copy", copied), ("example2_unaligned", "example2_unaligned", lambda: copied(23)),
    ("example3_large", "example3_large", large),
    ("add_tiled", "add_float16", lambda: added("float16")),
    ("add_tiled", "add_float32", lambda: added("float32")),
    ("flags_in_turn", "flags_in_turn", in_turn), ("scale", "scale", lambda: {"x": floats("float32", 4096)}),
    ("relu_masks", "relu_masks", lambda: {"x": floats("float16", 1024)}),
    ("clamp", "clamp", lambda: {"x": floats("float16", 2048)}),
    ("bits", "bits", lambda: {"x": ints(256), "y": ints(256)}),
    ("strided_move", "strided_move", lambda: {"src": RNG.random((8, 80), dtype=np.float32)}),
    ("pad_to_l1", "pad_to_l1", lambda: {"src": floats("float16", 64)}),
    ("slice_gather", "slice_gather", lambda: {"image": floats("float16", 4, 70, 134)}),
    ("dynamic_tiling", "dynamic_scale", lambda: dynamic(3, 0, 0, 0)),
    ("dynamic_tiling", "dynamic_scale", lambda: dynamic(0, 1024, 1, 16)),
    ("dynamic_tiling", "dynamic_scale", lambda: dynamic(7, 300, 2, 4096)),
    ("softmax", "softmax", lambda: normal(8, 64, 512)), ("layernorm", "layernorm", layernorm),
    ("gelu", "gelu", lambda: normal(4, 1 << 16)),
    ("argmax", "argmax", lambda: {"x": RNG.integers(-500, 500, (48, 1024)).astype(np.float32)}),
    ("top_k", "top_k", lambda: {"score": RNG.permutation(256).astype(np.float16),
                                "position": np.arange(256, dtype=np.float16)}),
    ("transpose", "transpose", lambda: {"x": floats("float16", 64, 256)}),
    ("gather", "gather", lambda: {"table": floats("float32", 2048),
                                  "index": RNG.integers(0, 2048, 1024, dtype=np.int32)}),
    ("cast_chain", "cast_chain", lambda: normal(6, 4096)), ("nms", "nms", boxes),
    ("matmul_int8", "matmul_int8", matmul_int8), ("matmul_f16", "matmul_f16", matmul_f16),
    ("conv_int8", "conv_int8", lambda: {"image": bytes_of(2, 14, 14, 32), "weight": bytes_of(2, 3, 3, 64, 32)}),
    ("atomic_sum", "atomic_sum", lambda: normal(1, 64, 2048)),
    ("nd_nz", "nd_nz", lambda: {"x": floats("float16", 100, 80)}),
    ("lmem_round_trip", "lmem_round_trip", lambda: {"src": RNG.integers(-2 ** 31, 2 ** 31, (2, 5, 2, 3)).astype(np.int32)}),
    ("lmem_bias_add", "lmem_bias_add", lambda: {"x_gm": floats("float16", 2, 70, 12, 20), "b_gm": floats("float16", 70)}),
    ("lmem_conv", "lmem_conv", lambda: {"x_gm": bytes_of(2, 3, 15, 18)}),
]


def run(tikc, sample, kernel, backend, inputs, outputs, folder):
    """Results by name, or a text that tells what is wrong."""
    cmd = [tikc, "run", os.path.join(ROOT, "samples", sample + ".tik"), "--backend", backend,
           "--kernel", kernel]
    for name, array in inputs.items():
        path = os.path.join(folder, name + ".npy")
        np.save(path, array)
        cmd += ["--in", "%s=%s" % (name, path)]
    for name in outputs:
        cmd += ["--out", "%s=%s" % (name, os.path.join(folder, "out_%s.npy" % name))]
    p = subprocess.run(cmd, capture_output=True, text=True)
    if p.returncode != 0:
        return "exit code %d\n%s" % (p.returncode, p.stderr)
    return {name: np.load(os.path.join(folder, "out_%s.npy" % name)) for name in outputs}


def difference(name, got, want, close):
    """Text that tells what differs; empty when nothing does. close: tolerances, or None for equal bits."""
    if got.dtype != want.dtype or got.size != want.size:
        return "%s is %s of %d" % (name, got.dtype, got.size)
    got, want = got.reshape(-1), want.reshape(-1)
    if close:
        bad = np.flatnonzero(~np.isclose(got, want, *close))
    else:
        kind = "u%d" % want.itemsize
        bad = np.flatnonzero(got.view(kind) != want.view(kind))
    if bad.size:
        return "%s: %d elements differ, first at %d: %r, not %r" % (
            name, bad.size, bad[0], got[bad[0]], want[bad[0]])
    return ""


def verdict(tikc, sample, kernel, case, folder):
    """One text per back end; empty when all is well."""
    inputs = case()
    expected = getattr(reference, kernel)(**inputs)
    texts, bits = [], None
    for backend in ("host", "emu"):
        got = run(tikc, sample, kernel, backend, inputs, expected, folder)
        if isinstance(got, str):
            texts.append(got)
            continue
        found = [difference(n, got[n], expected[n], CLOSE.get(sample)) for n in expected]
        found += [difference(n, got[n], bits[n], None) for n in bits or {}]
        bits = got
        texts.append("; ".join(f for f in found if f))
    return texts


def main():
    tikc = os.environ.get("TIKC", os.path.join(ROOT, "build", "tikc"))
    failed = 0
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        for sample, kernel, case in CASES:
            for backend, wrong in zip(("host", "emu"), verdict(tikc, sample, kernel, case, folder)):
                if wrong:
                    failed += 1
                    print("%s, kernel %s, %s: %s" % (sample, kernel, backend, wrong))
    print("%d passed, %d failed" % (2 * len(CASES) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
