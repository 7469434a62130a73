"""Moves between the accumulator and UB by their index formulas. Memories are arrays of bytes; a move writes its
destination in place."""
from dataclasses import dataclass, field

import numpy as np

from .numbers import SIZES, UINT, Word, by_half, half, plain, scaled, signed

ELEMS = {'m': 256, 'v': 16, 'sc': 64, 'dp': 256}
SCALES = ['DEQ_NONE', 'DEQ', 'VDEQ', 'DEQ8', 'VDEQ8', 'DEQ16', 'VDEQ16']


@dataclass
class Move:
    """tensor_mov with an operand in the accumulator. words: of a scalar mode one number, of a vector mode the array of
    64-bit words of all bursts or of 16 float16 bit patterns."""
    mode: str
    nburst: int
    burst: int
    dst_stride: int
    src_stride: int
    src: str
    dst: str
    scale: str = 'DEQ_NONE'
    words: object = None
    sid: int = 0
    relu: bool = False
    fly: int = 0
    other: object = field(default=None, repr=False)
    to_acc: bool = False

    @property
    def acc_type(self):
        return self.dst if self.to_acc else self.src

    @property
    def out_type(self):
        return self.src if self.to_acc else self.dst

    def acc_unit(self):
        return (256 if self.mode == 'v' else ELEMS[self.mode]) * SIZES[self.acc_type]

    def out_unit(self):
        n = ELEMS[self.mode] * SIZES[self.out_type]
        return n * 2 if SIZES[self.out_type] == 1 and self.sid != 2 else n

    def acc_bytes(self):
        gap = self.dst_stride if self.to_acc else self.src_stride
        return (self.nburst * self.burst + (self.nburst - 1) * gap) * self.acc_unit()

    def out_bytes(self):
        gap = self.src_stride if self.to_acc else self.dst_stride
        gaps = 1 if self.mode == 'dp' else self.nburst - 1
        return self.nburst * self.burst * self.out_unit() + gaps * gap * 32

    def elements(self):
        return self.nburst * self.burst * ELEMS[self.mode]


def convert(m, bits, burst, channel):
    vector = m.scale.startswith('V')
    if m.scale == 'DEQ_NONE':
        return plain(bits, m.src, m.dst, m.relu)
    if m.scale in ('DEQ', 'VDEQ'):
        scale = np.asarray(m.words, np.uint16)[channel] if vector else np.uint16(int(m.words) & 0xffff)
        return by_half(bits, m.src, scale, m.relu)
    w = Word(np.asarray(m.words, np.uint64)[burst * 16 + channel] if vector else m.words)
    act = m.relu if vector else m.relu or bool(w.relu[0])
    return scaled(bits, m.src, m.dst, w, act)


def out_place(m, i, k):
    """Byte of element k of burst i outside of the accumulator."""
    size, stride = SIZES[m.out_type], m.src_stride if m.to_acc else m.dst_stride
    q, c = k // 16, k % 16
    base = i * (m.burst * m.out_unit() + stride * 32)
    if m.mode == 'dp':
        half_bytes = m.burst * 16 * 8 * size
        return np.where(c < 8, q * 8 * size + c * size, half_bytes + stride * 32 + q * 8 * size + (c - 8) * size)
    if size > 1:
        return base + k * size
    return base + (q * 16 + c if m.sid == 2 else q * 32 + (16 if m.sid == 1 else 0) + c)


def acc_place(m, i, k):
    elems, size, stride = ELEMS[m.mode], SIZES[m.acc_type], m.dst_stride if m.to_acc else m.src_stride
    unit, e = k // elems, k % elems
    return (i * (m.burst + stride) + unit) * m.acc_unit() + e * size


def fetch(memory, at, dtype):
    size = SIZES[dtype]
    return memory[at[:, None] + np.arange(size)].reshape(-1).view(UINT[dtype])


def store(memory, at, bits):
    size = bits.dtype.itemsize
    memory[at[:, None] + np.arange(size)] = np.ascontiguousarray(bits).view(np.uint8).reshape(-1, size)


def add(bits, other, dtype, subtract):
    if dtype == 'int16':
        a, b = signed(bits), signed(other)
        return (a - b if subtract else a + b).astype(np.uint64).astype(np.uint16)
    kind = np.float16 if dtype == 'float16' else np.float32
    a, b = bits.view(kind).astype(np.float32), other.view(kind).astype(np.float32)
    y = a - b if subtract else a + b
    return half(y) if dtype == 'float16' else np.where(np.isnan(y), np.uint32(0x7fc00000), y.view(np.uint32))


def tensor_mov(m, dst, src):
    """dst, src: bytes from the operands' first ones on."""
    each = m.burst * ELEMS[m.mode]
    for i in range(m.nburst):
        k = np.arange(each)
        channel = k % 4 if m.mode == 'sc' else k % 16
        if m.to_acc:
            store(dst, acc_place(m, i, k), plain(fetch(src, out_place(m, i, k), m.src), m.src, m.dst))
            continue
        bits = convert(m, fetch(src, acc_place(m, i, k), m.src), i, channel)
        if m.fly:
            other = np.asarray(m.other, np.uint8).view(UINT[m.dst])[i * each:(i + 1) * each]
            if m.mode == 'dp':
                raise NotImplementedError
            bits = add(bits, other, m.dst, m.fly == 2)
        store(dst, out_place(m, i, k), bits)
