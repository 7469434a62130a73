#!/usr/bin/python3
"""Runs every sample on both back ends with random inputs and compares the results with numpy: bit for
bit, or within the tolerance of the sample where sums and functions round in another order; then both back ends
still give the same bits. The tool is $TIKC, else build/tikc. Ends with a line "N passed, N failed"."""
import os
import subprocess
import sys
import tempfile

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa

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


def in_turn():
    a, b = floats("float32", 1 << 16), floats("float32", 1 << 16)
    return {"a": a, "b": b}, {"c": quiet(quiet(a * np.float32(2)) + b)}


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


def sliced():
    image = floats("float16", 4, 70, 134)
    inside = relu(np.ascontiguousarray(image[:, 3:67, 3:131]))
    put = np.zeros((4, 70, 134), np.float16)
    put.view(np.uint16)[:, 3:67, 3:131] = inside.view(np.uint16)
    return {"image": image}, {"inside": inside, "padded": put}


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


def softmax():
    x = (RNG.standard_normal((64, 512)) * 8).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return {"x": x}, {"y": (e / e.sum(axis=1, keepdims=True)).astype(np.float32)}


def layernorm():
    x = (RNG.standard_normal((32, 768)) * 3 + 5).astype(np.float32)
    gamma, beta = RNG.standard_normal((2, 768)).astype(np.float32)
    z = x.astype(np.float64)
    z = (z - z.mean(axis=1, keepdims=True)) / np.sqrt(z.var(axis=1, keepdims=True) + 1e-5)
    return {"x": x, "gamma": gamma, "beta": beta}, {"y": (z * gamma + beta).astype(np.float32)}


def gelu():
    x = (RNG.standard_normal(1 << 16) * 4).astype(np.float32)
    z = x.astype(np.float64)
    y = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z ** 3)))
    return {"x": x}, {"y": y.astype(np.float32)}


def argmax():
    x = RNG.integers(-500, 500, (48, 1024)).astype(np.float32)
    return {"x": x}, {"index": x.argmax(axis=1).astype(np.uint32)}


def top_k():
    score = RNG.permutation(256).astype(np.float16)
    order = np.argsort(-score.astype(np.float32), kind="stable")[:32]
    return ({"score": score, "position": np.arange(256, dtype=np.float16)},
            {"top": score[order], "where": order.astype(np.float16)})


def transposed():
    x = floats("float16", 64, 256)
    return {"x": x}, {"y": np.ascontiguousarray(x.T)}


def gathered():
    table = floats("float32", 2048)
    index = RNG.integers(0, 2048, 1024, dtype=np.int32)
    return {"table": table, "index": index}, {"y": table[index]}


def cast():
    x = (RNG.standard_normal(4096) * 6).astype(np.float32)
    half = (x * np.float32(16)).astype(np.float16)
    y8 = np.clip(np.floor(half.astype(np.float32)), -128, 127).astype(np.int8)
    return {"x": x}, {"y8": y8, "y": y8.astype(np.float32) / np.float32(16)}


def suppressed():
    """Every step in float16, as the instructions have it."""
    corner = RNG.integers(0, 20, (64, 2))
    box = np.zeros((64, 8), np.float16)
    box[:, 0:2] = corner
    box[:, 2:4] = corner + RNG.integers(1, 12, (64, 2))
    x1, y1, x2, y2 = box[:, 0:4].T
    one = np.float16(1)
    area = (x2 - x1 + one) * (y2 - y1 + one)
    w = np.maximum(np.minimum(x2[:, None], x2) - np.maximum(x1[:, None], x1) + one, np.float16(0))
    h = np.maximum(np.minimum(y2[:, None], y2) - np.maximum(y1[:, None], y1) + one, np.float16(0))
    over = w * h * np.float16(1.5) > (area[:, None] + area) * np.float16(0.5)
    removed = np.zeros(64, np.uint16)
    for j in range(64):
        removed[j] = any(over[i, j] and not removed[i] for i in range(j))
    return {"box": box}, {"removed": removed}


def columns(matrix, c0):
    """A matrix in columns of fractals: (columns / c0, rows, c0)."""
    return np.ascontiguousarray(matrix.reshape(matrix.shape[0], -1, c0).transpose(1, 0, 2))


def matmul_int8():
    a, b = (RNG.integers(-128, 128, (512, 512), dtype=np.int8) for _ in range(2))
    scale = (2.0 ** -RNG.integers(9, 13, 512) * RNG.uniform(0.5, 1, 512)).astype(np.float32)
    words = scale.view(np.uint32).astype(np.uint64) | np.uint64((-128 & 0x1ff) << 37 | 1 << 46 | 1 << 47)
    sums = a.astype(np.int64) @ b.astype(np.int64)
    steps = np.clip(np.rint(sums.astype(np.float32) * scale), 0, 255)
    return ({"a": columns(a, 32), "b": columns(b.T, 32), "words": words},
            {"y": columns((steps - 128).astype(np.int8), 32)})


def matmul_f16():
    a, b = (RNG.standard_normal((256, 256)).astype(np.float16) for _ in range(2))
    sums = np.zeros((256, 256), np.float32)
    for k in range(256):
        sums += a[:, k:k + 1].astype(np.float32) * b[k:k + 1].astype(np.float32)
    return {"a": columns(a, 16), "b": columns(b.T, 16)}, {"y": columns(sums.astype(np.float16), 16)}


def conv_int8():
    image = RNG.integers(-128, 128, (64, 14, 14), dtype=np.int8)
    weight = RNG.integers(-128, 128, (64, 64, 3, 3), dtype=np.int8)   # out, in, height, width
    wide = np.pad(image.astype(np.int64), ((0, 0), (1, 1), (1, 1)))
    sums = sum(np.einsum("oc,chw->ohw", weight[:, :, i, j].astype(np.int64), wide[:, i:i + 14, j:j + 14])
               for i in range(3) for j in range(3))
    scale = np.array(0x3b5a740e, np.uint32).view(np.float32)
    y = (sums.astype(np.float32) * scale).astype(np.float16)
    groups = lambda x, c: np.ascontiguousarray(x.reshape(-1, c, *x.shape[1:]).transpose(0, 2, 3, 1))
    stored = weight.reshape(64, 2, 32, 3, 3).transpose(1, 3, 4, 0, 2)
    return {"image": groups(image, 32), "weight": np.ascontiguousarray(stored)}, {"y": groups(y, 16)}


def atomic_sum():
    x = RNG.standard_normal((64, 2048)).astype(np.float32)
    total = np.zeros(2048, np.float32)
    for core in range(8):
        part = x[8 * core].copy()
        for i in range(1, 8):
            part += x[8 * core + i]
        total += part
    return {"x": x}, {"sum": total}


def round_trip():
    x = floats("float16", 100, 80)
    tall = np.zeros((112, 80), np.float16)
    tall[:100] = x
    return {"x": x}, {"nz": columns(tall, 16), "y": x}
def lanes_round_trip():
    x = RNG.integers(-2 ** 31, 2 ** 31, (2, 5, 2, 3)).astype(np.int32)
    return {"src": x}, {"dst": (x.astype(np.int64) * 2).astype(np.int32)}


def lanes_bias():
    x, b = floats("float16", 2, 70, 12, 20), floats("float16", 70)
    with np.errstate(all="ignore"):
        y = quiet((x.astype(np.float32) + b.astype(np.float32)[None, :, None, None]).astype(np.float16))
    return {"x_gm": x, "b_gm": b}, {"y_gm": np.ascontiguousarray(larger(y, np.zeros_like(y)).transpose(1, 0, 2, 3))}


def lanes_layer(x, oc, step, stride):
    """A layer of lmem_conv.tik: numbers() of its weight and bias, 3 x 3 kernels, a border of one."""
    def numbers(n, most):
        i = np.arange(n, dtype=np.int64)
        return (i * i * step + 11 * i) % (2 * most + 1) - most
    ic, channel = x.shape[1], np.arange(oc, dtype=np.int64)[None, :, None, None]
    weight = numbers(oc * ic * 9, 127).reshape(oc, ic, 3, 3)
    wide = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    h, w = ((n - 1) // stride + 1 for n in x.shape[2:])
    sums = sum(np.einsum("nchw,oc->nohw", wide[:, :, i:i + stride * h:stride, j:j + stride * w:stride], weight[:, :, i, j])
               for i in range(3) for j in range(3)) + numbers(oc, 5000)[None, :, None, None]
    shift = 29 + channel % 3
    return np.clip(((sums * (1000000 + 7919 * channel) + (1 << (shift - 1))) >> shift) + 3, -128, 127).astype(np.int8)


def lanes_conv():
    x = RNG.integers(-128, 128, (2, 3, 15, 18), dtype=np.int8)
    return {"x_gm": x}, {"y_gm": lanes_layer(np.maximum(lanes_layer(x, 32, 5, 1), 0), 70, 3, 2)}


# Relative and absolute tolerance of samples whose order of rounding is not numpy's.
CLOSE = {"softmax": (1e-5, 1e-9), "layernorm": (1e-4, 1e-5), "gelu": (1e-5, 1e-6)}

CASES = [
    ("example1_copy", "example1_copy", copied), ("example2_unaligned", "example2_unaligned", unaligned),
    ("example3_large", "example3_large", large),
    ("add_tiled", "add_float16", lambda: added("float16")),
    ("add_tiled", "add_float32", lambda: added("float32")),
    ("flags_in_turn", "flags_in_turn", in_turn), ("scale", "scale", scaled), ("relu_masks", "relu_masks", masked), ("clamp", "clamp", clamped),
    ("bits", "bits", bits), ("strided_move", "strided_move", strided),
    ("pad_to_l1", "pad_to_l1", padded), ("slice_gather", "slice_gather", sliced),
    ("dynamic_tiling", "dynamic_scale", lambda: dynamic(3, 0, 0, 0)),
    ("dynamic_tiling", "dynamic_scale", lambda: dynamic(0, 1024, 1, 16)),
    ("dynamic_tiling", "dynamic_scale", lambda: dynamic(7, 300, 2, 4096)),
    ("softmax", "softmax", softmax), ("layernorm", "layernorm", layernorm), ("gelu", "gelu", gelu),
    ("argmax", "argmax", argmax), ("top_k", "top_k", top_k), ("transpose", "transpose", transposed),
    ("gather", "gather", gathered), ("cast_chain", "cast_chain", cast), ("nms", "nms", suppressed),
    ("matmul_int8", "matmul_int8", matmul_int8), ("matmul_f16", "matmul_f16", matmul_f16),
    ("conv_int8", "conv_int8", conv_int8),
    ("atomic_sum", "atomic_sum", atomic_sum), ("nd_nz", "nd_nz", round_trip),
    ("lmem_round_trip", "lmem_round_trip", lanes_round_trip), ("lmem_bias_add", "lmem_bias_add", lanes_bias),
    ("lmem_conv", "lmem_conv", lanes_conv),
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
    inputs, expected = case()
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
