"""fixpipe by its index formulas, in both forms. Memories are arrays of bytes; the destination is written in place."""
from dataclasses import dataclass, field

import numpy as np

from .moves import add, fetch, store
from .numbers import SIZES, UINT, Word, by_half, half, plain, product, relu, scaled, signed, to_eight

MODES = ['NoQuant', 'F322F16', 'F322BF16', 'DEQF16', 'VDEQF16', 'QF322B8_PRE', 'VQF322B8_PRE', 'REQ8', 'VREQ8']


def short(m):
    """float32 with 10 fraction bits."""
    return (np.asarray(m, np.float32).view(np.uint32) & np.uint32(0xffffe000)).view(np.float32)


@dataclass
class Blocks:
    """fixpipe(dst, src, cburst_num, burst_len, dst_stride, src_stride, extend_params)."""
    n: int
    rows: int
    dst_stride: int
    src_stride: int
    src: str
    dst: str
    quantize: str = None      # fp322fp16, int322fp16
    param: object = None      # float, 16 float16 bit patterns, float32 for every channel, 64-bit words for every channel
    relu: bool = False
    bias: object = None       # bits for every channel
    other: object = None      # bits of every element

    def pitch(self):
        return (-(-self.rows // 16) + self.src_stride) * 256

    def src_elements(self):
        return (self.n - 1) * self.pitch() + self.rows * 16

    def dst_bytes(self):
        return self.n * self.rows * 16 * SIZES[self.dst] + (self.n - 1) * self.dst_stride * 32


def plus(bits, other, dtype):
    if dtype == 'int32':
        return (bits.astype(np.uint64) + other).astype(np.uint32)
    return add(bits, other, dtype, False)


def quantized(b, bits, block, channel):
    if b.quantize is None:
        return bits
    if b.quantize == 'fp322fp16':
        return plain(bits, 'float32', 'float16')
    if np.ndim(b.param) == 0:
        return by_half(bits, 'int32', 0, wide=short(b.param))
    p = np.asarray(b.param)
    if p.dtype == np.uint16:
        return by_half(bits, 'int32', p[channel])
    if p.dtype == np.float32:
        return by_half(bits, 'int32', 0, wide=short(p[block * 16 + channel]))
    return scaled(bits, 'int32', 'float16', Word(p[block * 16 + channel]))


def blocks(b, dst, src):
    size = SIZES[b.dst]
    k = np.arange(b.rows * 16)
    for j in range(b.n):
        y = fetch(src, (j * b.pitch() + k) * SIZES[b.src], b.src)
        if b.bias is not None:
            y = plus(y, np.asarray(b.bias)[j * 16 + k % 16], b.src)
        y = quantized(b, y, j, k % 16)
        if b.other is not None:
            y = plus(y, np.asarray(b.other)[j * b.rows * 16 + k], b.dst)
        if b.relu:
            y = plain(y, b.dst, b.dst, True)
        store(dst, j * (b.rows * 16 * size + b.dst_stride * 32) + k * size, y)


@dataclass
class Columns:
    """fixpipe(dst, src, FixpipeParamsV220(...), config)."""
    n: int
    m: int
    src_stride: int
    dst_stride: int
    src: str
    dst: str
    mode: str = 'NoQuant'
    words: object = 0
    nd: bool = False
    nd_num: int = 1
    nd_src: int = 0
    nd_dst: int = 0
    relu: bool = False
    split: bool = False

    def src_elements(self):
        base = (self.nd_num - 1) * self.nd_src * 256 if self.nd else 0
        return base + (-(-self.n // 16) - 1) * self.src_stride * 16 + self.m * 16

    def dst_bytes(self):
        size, k16 = SIZES[self.dst], -(-self.n // 16)
        if self.nd:
            return ((self.nd_num - 1) * self.nd_dst + (self.m - 1) * self.dst_stride + self.n) * size
        if self.split:
            return (-(-self.n // 8) - 1) * self.dst_stride * 32 + self.m * 32
        if size == 1:
            return ((k16 + 1) // 2 - 1) * self.dst_stride * 32 + self.m * 32
        return (k16 - 1) * self.dst_stride * 32 + self.m * 16 * size


def converted(c, bits, column):
    if c.mode in ('NoQuant', 'F322F16', 'F322BF16'):
        return plain(bits, c.src, c.dst, c.relu)
    w = Word(np.asarray(c.words, np.uint64)[column] if c.mode.startswith('V') else c.words)
    if c.mode.endswith('DEQF16'):
        x = signed(bits)
        return half(product(x.astype(np.float64).astype(np.float32), x, w.m(True), c.relu))
    if 'QF322B8' in c.mode:
        y = bits.view(np.float32)
        return to_eight(product(y, y, w.m(True), c.relu), w, c.dst, False)
    return scaled(bits, 'int32', c.dst, w, False, c.relu, True)


def place(c, nd, j, k):
    """Byte of the result of row j, column k."""
    size, b = SIZES[c.dst], k // 16
    if c.nd:
        return (nd * c.nd_dst + j * c.dst_stride + k) * size
    if c.split:
        return k // 8 * c.dst_stride * 32 + (j * 8 + k % 8) * 4
    if size == 1:
        return b // 2 * c.dst_stride * 32 + j * 32 + b % 2 * 16 + k % 16
    return b * c.dst_stride * 32 + (j * 16 + k % 16) * size


def columns(c, dst, src):
    j, k = np.divmod(np.arange(c.m * c.n), c.n)
    for nd in range(c.nd_num if c.nd else 1):
        element = (nd * c.nd_src * 256 if c.nd else 0) + (k // 16 * c.src_stride + j) * 16 + k % 16
        store(dst, place(c, nd, j, k), converted(c, fetch(src, element * SIZES[c.src], c.src), k))
