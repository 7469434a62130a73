"""Packed constants of convolutions, in numpy, by array algebra: what docs/lmem.md says, not what the C does.

Weights are (oc, ic, kh, kw), those of 4 bits one in each byte; a result is the constant as it is stored, or None where
the target has no rule."""
import copy

import numpy as np


class Target:
    """lanes, bytes of the arithmetic units of a lane, parallel input channels of 8, 16 and 32 bits, words of
    requantisation and whether they stand at multiples of eu, whether a merged depthwise weight does."""

    def __init__(self, lanes, eu, icp, words=0, aligned=False, dw=True, order='blocked', int32=False):
        self.lanes, self.eu, self.icp, self.words = lanes, eu, icp, words
        self.aligned, self.dw, self.order, self.int32 = aligned, dw, order, int32


TARGETS = {
    'bm1684x': Target(64, 64, (64, 32, 1), 3, True, False),
    'bm1688': Target(32, 16, (32, 16, 1), 2),
    'cv186x': Target(32, 16, (32, 16, 1), 2),
    'bm1690': Target(64, 64, (64, 32, 1), 2),
    'sg2380': Target(32, 16, (32, 32, 1), 2),
    'bm1684x2': Target(16, 32, (32, 16, 1)),
    'cv184x': Target(8, 16, (16, 8, 1)),
    'bm1684': Target(64, 128, (4, 1, 2), order='cells'),
    'cv181x': Target(8, 16, (1, 1, 1), order='plain'),
    'toy4x16': Target(4, 16, (16, 8, 4), 2, int32=True),
}


def with_runs(t):
    """The target with the reading W1=runs: float32 weights in runs of a quarter as many channels as of 8 bits."""
    runs = copy.copy(t)
    runs.icp = t.icp if t.order != 'blocked' else (*t.icp[:2], t.icp[0] // 4)
    return runs


def up(a, b):
    return -(-a // b) * b


def parallel(t, dtype, half=False):
    if half:
        return 2 * t.icp[0] if t.order == 'blocked' else 0
    dtype = np.dtype(dtype)
    width = (1, 2, 4).index(dtype.itemsize)
    floating = dtype.kind == 'f'
    if t.order == 'cells':
        return {0: 4, 1: 1, 2: 2 if floating else 0}[width]
    if t.order == 'plain':
        return 1 if width == 0 else 0  # and bfloat16, which numpy does not have
    if width == 2 and not floating and not t.int32:
        return 0
    return t.icp[width]


def grown(a, shape):
    out = np.zeros(shape, a.dtype)
    out[tuple(slice(0, n) for n in a.shape)] = a
    return out


def pairs(rows):
    """Rows of elements of 4 bits as bytes, the first of two in the low half."""
    rows = rows.astype(np.uint8) & 15
    return rows[:, 0::2] | rows[:, 1::2] << 4


def channel_rows(t, w, depthwise, half):
    """One row of elements for each output channel, and the shape of the weight by itself."""
    oc, ic, kh, kw = w.shape
    k, p = kh * kw, parallel(t, w.dtype, half)
    flat = w.reshape(oc, ic, k)
    if depthwise:
        shape = (1, oc, kh, kw) if t.order == 'plain' else (1, oc, 1, k)
        return flat.reshape(oc, k), shape
    if t.order != 'blocked':
        wide = up(ic, p) if t.order == 'cells' else ic + (ic % 2 if ic > 1 and w.dtype.itemsize == 1 else 0)
        rows = grown(flat, (oc, wide, k)).transpose(0, 2, 1)
        return rows.reshape(oc, -1), (1, oc, k, wide)
    if p == 1:
        return flat.reshape(oc, -1), (1, oc, ic, k)
    g = -(-ic // p)
    rows = grown(flat, (oc, g * p, k)).reshape(oc, g, p, k).transpose(0, 1, 3, 2).reshape(oc, -1)
    if half:
        rows, p = pairs(rows), p // 2
    return rows, (1, oc, 1, rows.shape[1]) if rows.shape[1] <= 65535 else (1, oc, g, k * p)


def over_lanes(t, items):
    """Bytes of each channel, (oc, n), side by side in the lanes: a list of rows of bytes."""
    lanes = min(t.lanes, len(items))
    return [[items[c] for c in range(lane, len(items), t.lanes)] for lane in range(lanes)]


def words_of(t, mul, shift, zp):
    if t.words == 3:
        return np.stack([mul, -shift, zp], axis=1).astype('<i4').view(np.uint8)
    second = ((-shift.astype(np.int64)) & 0xff) + ((zp.astype(np.int64) & 0xffff) << 16)
    return np.stack([mul.astype(np.int64) & 0xffffffff, second], axis=1).astype('<u4').view(np.uint8)


def put(rows, parts, offset, pitch):
    """Writes the channels of each lane; where the longest lane ends."""
    end = offset
    for row, channels in zip(rows, parts):
        for slot, data in enumerate(channels):
            at = offset + slot * pitch
            row[at:at + len(data)] = data
            end = max(end, at + len(data))
    return end


def params(bias, mul, shift):
    """What processors of the order 'plain' have for each output channel beside the weight: with a multiplier bytes,
    without two planes of 16 bits."""
    if mul is None:
        words = bias.astype('<f4').view('<u2').reshape(-1, 2)
        return np.stack([words[:, 1], words[:, 0]]).reshape(2, -1, 1, 1)
    columns = [] if bias is None else [bias.astype('<i4').view(np.uint8).reshape(-1, 4)]
    columns += [mul.astype('<i4').view(np.uint8).reshape(-1, 4), shift.astype(np.uint8).reshape(-1, 1)]
    return np.hstack(columns).reshape(1, len(mul), 1, -1)


def pack(t, w, bias=None, requant=None, depthwise=False, half=False):
    if parallel(t, w.dtype, half) == 0 or (half and depthwise):
        return None
    channels, shape = channel_rows(t, w, depthwise, half)
    if bias is None and requant is None:
        return channels.reshape(shape)
    eight = w.dtype.itemsize == 1 or (t.int32 and w.dtype == np.int32)
    if t.order != 'blocked' or not eight or (requant is not None and t.words == 0):
        return None
    oc = w.shape[0]
    rows = np.zeros((min(t.lanes, oc), 1 << 20), np.uint8)
    end = 0
    if requant is not None:
        pitch = up(4 * t.words, t.eu) if t.aligned else 4 * t.words
        end = put(rows, over_lanes(t, words_of(t, *requant)), 0, pitch)
    if bias is not None:
        end = put(rows, over_lanes(t, bias.astype('<i4').view(np.uint8).reshape(oc, 4)), end, 4)
    data = np.ascontiguousarray(channels).view(np.uint8).reshape(oc, -1)
    start = end if depthwise and not t.dw else up(end, t.eu)
    end = put(rows, over_lanes(t, data), start, data.shape[1])
    return rows[:, :end].reshape(1, len(rows), 1, end)
