"""Local memory in lanes, as a program with numpy arrays: layouts, views, moves (data_move of tensors) and arithmetic
(lane_add, lane_sub, lane_mul, lane_max, lane_min). Written from the rules of docs/lmem.md, not from the C code: every
element has an address that is computed on its own, and memory is bytes.
"""
import itertools

import numpy as np

# name: lanes, bytes that the arithmetic units of a lane handle, bytes of a lane, banks
TARGETS = {
    'bm1684x': (64, 64, 262144, 16), 'bm1684': (64, 128, 524288, 8), 'bm1688': (32, 16, 131072, 16),
    'bm1690': (64, 64, 262144, 16), 'bm1684x2': (16, 32, 262144, 16), 'cv184x': (8, 16, 65536, 16),
    'cv183x': (32, 16, 32768, 8), 'cv181x': (8, 16, 32768, 8), 'cv180x': (2, 16, 32768, 8),
    'sg2380': (32, 16, 131072, 16), 'toy4x16': (4, 16, 1024, 4),
}
SIZES = {'uint8': 1, 'int8': 1, 'uint16': 2, 'int16': 2, 'float16': 2, 'bfloat16': 2, 'uint32': 4, 'int32': 4,
         'float32': 4}
NUMPY = {t: np.dtype('uint16' if t == 'bfloat16' else t) for t in SIZES}


def up(a, b):
    return -(-a // b) * b


class Tensor:
    """A view of lane memory: shape and strides of n, c, h, w in elements, start lane, base in bytes."""

    def __init__(self, target, dtype, shape, layout='aligned', lane=0, stride=None, base=0):
        self.target, self.dtype, self.shape = target, dtype, tuple(shape)
        self.layout, self.lane, self.base = layout, lane, base
        lanes, eu, _, _ = TARGETS[target]
        n, c, h, w = shape
        units = eu // SIZES[dtype]
        if layout == 'free':
            self.stride = tuple(stride)
        else:
            row = up(w, units) if layout == 'row_aligned' else w
            channel = up(h * row, units) if layout == 'aligned' else h * row
            self.stride = (-(-(lane + c) // lanes) * channel, channel, row, 1)

    def bytes(self):
        """Bytes that the tensor takes of each lane."""
        n, c, h, w = self.shape
        slots = -(-(self.lane + c) // TARGETS[self.target][0])
        if self.layout != 'free':
            return n * self.stride[0] * SIZES[self.dtype]
        last = sum((k - 1) * s for k, s in zip((n, slots, h, w), self.stride))
        return (last + 1) * SIZES[self.dtype]

    def places(self):
        """Of every element, in an array of the tensor's shape, its lane and its first byte in the lane."""
        n, c, h, w = np.indices(self.shape)
        at = self.lane + c
        lanes = TARGETS[self.target][0]
        off = n * self.stride[0] + at // lanes * self.stride[1] + h * self.stride[2] + w * self.stride[3]
        return at % lanes, self.base + off * SIZES[self.dtype]

    def view(self, box):
        """The part [lo, hi) of each axis."""
        lanes = TARGETS[self.target][0]
        v = Tensor(self.target, self.dtype, [hi - lo for lo, hi in box], 'free', 0, self.stride)
        first = self.lane + box[1][0]
        v.lane = first % lanes
        elems = (box[0][0] * self.stride[0] + first // lanes * self.stride[1] + box[2][0] * self.stride[2] +
                 box[3][0] * self.stride[3])
        v.base = self.base + elems * SIZES[self.dtype]
        v.layout = self.layout if v.has(self.layout) else 'free'
        return v

    def has(self, layout):
        if layout == 'free':
            return True
        same = Tensor(self.target, self.dtype, self.shape, layout, self.lane).stride == self.stride
        unit = SIZES[self.dtype] if layout == 'compact' else TARGETS[self.target][1]
        return same and self.base % unit == 0

    def repeats(self):
        """Whether two elements share an address."""
        lane, byte = self.places()
        return len(set(zip(lane.ravel().tolist(), byte.ravel().tolist()))) < lane.size


class Memory:
    """The lanes of one core. written: whether a byte was an element of something that was written."""

    def __init__(self, target, fill=0):
        lanes, _, size, _ = TARGETS[target]
        self.data = np.full((lanes, size), fill, np.uint8)
        self.written = np.zeros((lanes, size), bool)

    def load(self, t):
        lane, byte = t.places()
        size = SIZES[t.dtype]
        out = np.empty(t.shape + (size,), np.uint8)
        for b in range(size):
            out[..., b] = self.data[lane, byte + b]
        return out.view(NUMPY[t.dtype]).reshape(t.shape)

    def store(self, t, a):
        lane, byte = t.places()
        size = SIZES[t.dtype]
        raw = np.ascontiguousarray(a.astype(NUMPY[t.dtype], copy=False)).view(np.uint8).reshape(t.shape + (size,))
        for b in range(size):
            self.data[lane, byte + b] = raw[..., b]
            self.written[lane, byte + b] = True


def moved(a, shape, trans=None, bcast=False):
    """What data_move makes of the array, in the shape of its destination."""
    if trans == 'NC':
        return a.transpose(1, 0, 2, 3)
    if trans == 'CW':
        return a.transpose(0, 3, 2, 1)
    if bcast:
        return np.broadcast_to(a, shape)
    return a.reshape(shape)


def to_float(a, dtype):
    if dtype == 'bfloat16':
        return (a.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(invalid='ignore'):
        return a.astype(np.float32)


def from_exact(x, dtype):
    """Doubles that are exact, or rounded far after the last place, in the type: nearest, ties to even; NaN is the
    canonical one."""
    with np.errstate(over='ignore', invalid='ignore'):
        f = x.astype(np.float32)
        if dtype == 'float32':
            bits = f.view(np.uint32).copy()
            bits[np.isnan(x)] = 0x7fc00000
            return bits.view(np.float32)
        if dtype == 'float16':
            bits = x.astype(np.float16).view(np.uint16).copy()
            bits[np.isnan(x)] = 0x7e00
            return bits.view(np.float16)
    u = f.view(np.uint32).astype(np.int64)
    bits = ((u + 0x7fff + (u >> 16 & 1)) >> 16).astype(np.uint16)
    bits[np.isnan(x)] = 0x7fc0
    return bits


def arithmetic(op, a, b, dtype):
    """lane_OP(a, b) of arrays that broadcast: integers wrap, float results are rounded once; a NaN of max and min
    wins, of equal ones the first stays."""
    if dtype not in ('float16', 'bfloat16', 'float32'):
        x, y = a.astype(np.int64), b.astype(np.int64)
        r = {'add': x + y, 'sub': x - y, 'mul': x * y, 'max': np.maximum(x, y), 'min': np.minimum(x, y)}[op]
        return r.astype(NUMPY[dtype])
    with np.errstate(invalid='ignore'):
        x, y = to_float(a, dtype).astype(np.float64), to_float(b, dtype).astype(np.float64)
    if op in ('max', 'min'):
        a, b, x, y = np.broadcast_arrays(a, b, x, y)
        r = np.where(y > x if op == 'max' else y < x, b, a)
        nan = from_exact(np.full(r.shape, np.nan), dtype)
        return np.where(np.isnan(x) | np.isnan(y), nan.view(r.dtype), r).astype(NUMPY[dtype])
    with np.errstate(over='ignore', invalid='ignore'):
        r = {'add': x + y, 'sub': x - y, 'mul': x * y}[op]
    return from_exact(r, dtype)


def boxes(shape):
    """All axes from end to end."""
    return [(0, n) for n in shape]


def elements(shape):
    return itertools.product(*(range(n) for n in shape))


def convolution(x, w, stride, pad, dilation, depthwise=False):
    """The sums of a convolution (lane_conv2d): int32 that wraps, or float32, whose sums are taken in the order of input
    channels, rows and columns of the kernel. pad: top, bottom, left, right."""
    acc = np.float32 if x.dtype == np.float32 else np.int64
    x = np.pad(x.astype(acc), ((0, 0), (0, 0), pad[:2], pad[2:]))
    n, ic, h, width = x.shape
    oc, _, kh, kw = w.shape
    oh = (h - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    ow = (width - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    out = np.zeros((n, oc, oh, ow), acc)
    for c in range(1 if depthwise else ic):
        for a in range(kh):
            for b in range(kw):
                top, left = a * dilation[0], b * dilation[1]
                part = x[:, :, top:top + (oh - 1) * stride[0] + 1:stride[0],
                         left:left + (ow - 1) * stride[1] + 1:stride[1]]
                part = part if depthwise else part[:, c:c + 1]
                out += part * w[:, c, a, b].astype(acc)[None, :, None, None]
    return out if acc == np.float32 else out.astype(np.int32)


def requantised(v, mul, shift, zp, dtype):
    """(v * mul) / 2^shift, to the nearest and up in the middle, + zp, in the range of the dtype. By channel."""
    v, mul, shift, zp = v.astype(object), *(np.asarray(k).astype(object)[None, :, None, None] for k in (mul, shift, zp))
    r = v * mul
    half = np.where(shift > 0, 1 << np.maximum(shift - 1, 0), 0)
    r = (r + half) // (1 << shift) + zp
    info = np.iinfo(dtype)
    return np.clip(r, int(info.min), int(info.max)).astype(dtype)
