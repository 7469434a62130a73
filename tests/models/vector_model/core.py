"""Memory, operands, masks and the addressing of lanes."""
import numpy as np

from .choices import Choices

np.seterr(all='ignore')

BLOCK = 32
REPEAT = 256
SIZES = {'bool': 1, 'uint8': 1, 'int8': 1, 'uint16': 2, 'int16': 2, 'float16': 2, 'bfloat16': 2, 'uint32': 4,
         'int32': 4, 'float32': 4, 'uint64': 8, 'int64': 8}
UINT = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Fault(Exception):
    """A rule that only shows while running. args[0] is its name."""


class View:
    """A tensor operand: a buffer, a byte offset, a dtype, a shape and strides in elements."""

    def __init__(self, buffer, offset, dtype, shape, strides=None):
        self.buffer, self.offset, self.dtype = buffer, offset, dtype
        self.shape = tuple(shape)
        self.strides = strides or tuple(int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape)))

    @property
    def size(self):
        return SIZES[self.dtype]

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        shape, strides, at = [], [], 0
        for i, n in enumerate(self.shape):
            k = key[i] if i < len(key) else slice(None)
            if isinstance(k, slice):
                start, stop, step = k.indices(n)
                at += start * self.strides[i]
                shape.append(len(range(start, stop, step)))
                strides.append(step * self.strides[i])
            else:
                at += k * self.strides[i]
                shape.append(1)
                strides.append(self.strides[i])
        return View(self.buffer, self.offset + at * self.size, self.dtype, shape, tuple(strides))

    def positions(self):
        """Element indices of the slice, row major, relative to its start; in the shape of the slice."""
        at = np.zeros(self.shape, np.int64)
        for i, (n, s) in enumerate(zip(self.shape, self.strides)):
            at += (np.arange(n) * s).reshape([-1 if j == i else 1 for j in range(len(self.shape))])
        return at


class Scalar:
    """A Scalar register: a dtype and a bit pattern."""

    def __init__(self, dtype, bits=0):
        self.dtype = dtype
        self.set(bits)

    def set(self, bits):
        self.bits = int(bits) & ((1 << 8 * SIZES[self.dtype]) - 1)

    def value(self):
        """As a Python number (bfloat16: as float)."""
        return to_numbers(np.array([self.bits], np.uint64).astype(UINT[SIZES[self.dtype]]), self.dtype)[0].item()


def to_numbers(bits, dtype):
    """Patterns as values: bfloat16 as float32, all others as themselves."""
    if dtype == 'bfloat16':
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return np.ascontiguousarray(bits).view('uint8' if dtype == 'bool' else dtype)


def round_bfloat16(x):
    u = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    r = ((u + np.uint64(0x7fff) + ((u >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7fc0), r)


def number_bits(value, dtype):
    """The pattern of a literal or Scalar as an operand of this dtype; literals are rounded once."""
    size = SIZES[dtype]
    if isinstance(value, Scalar):
        return value.bits & ((1 << 8 * size) - 1)
    if dtype == 'bfloat16':
        return int(round_bfloat16(np.array([value], np.float32))[0])
    if dtype.startswith('float'):
        return int(np.array([value], np.float64).astype(dtype).view(UINT[size])[0])
    return int(value) & ((1 << 8 * size) - 1)


def integer(value):
    return value.value() if isinstance(value, Scalar) else int(value)


def lane_index(size, lanes, block, repeat, unit, repeats):
    """Element index of every lane in every repeat, [repeats, lanes]."""
    be = BLOCK // size
    blocks = max(lanes * size // BLOCK, 1)
    lane = np.arange(lanes)
    b, e = lane // be, lane % be
    r = np.arange(repeats).reshape(-1, 1)
    if unit == 0:
        return (r * repeat + b * block) * be + e
    if unit == 1:
        return (r * (repeat + (blocks - 1) * block + 1) + b * block) * be + e
    if unit == 2:
        return r * repeat + b * (be + block) + e
    return r * (repeat + (blocks - 1) * (be + block) + be) + b * (be + block) + e


def mask_lanes(mask, lanes):
    """The lanes of one repeat, as a vector of bool."""
    if isinstance(mask, (list, tuple)):
        on = np.zeros(lanes, bool)
        for word, text in enumerate(reversed(mask)):
            text = integer(text) & (2**64 - 1)
            for l in range(64 * word, min(64 * word + 64, lanes)):
                on[l] = text >> (l - 64 * word) & 1
        return on
    return np.arange(lanes) < integer(mask)


def active_lanes(mask, lanes, repeats, mode='normal'):
    """[repeats, lanes] of bool; counter mode finds its own number of repeats."""
    if mode == 'counter':
        n = integer(mask)
        repeats = -(-n // lanes)
        return np.arange(repeats * lanes).reshape(repeats, lanes) < n
    return np.broadcast_to(mask_lanes(mask, lanes), (integer(repeats), lanes))


def lanes_of(*views):
    return REPEAT // max(v.size for v in views)


class Machine:
    """The registers and memories of one core."""

    def __init__(self, profile='v200', choices=None):
        self.profile = profile
        self.choices = choices or Choices()
        self.memory = {}
        self.cmpmask = np.zeros(128, bool)
        self.rpn_cor_ir = 0
        self.rpn_offset = 1.0
        self.vms4_sr = 0
        self.rsvd_cnt = 0
        self.max_min = [0, 0, 0]
        self.doubtful = set()   # (result, the other one) of functions too close to the middle to be told apart
        self.fp_saturate, self.int_saturate = int(self.choices.float16_saturates), int(self.choices.integer_saturates)
        self.fp2fp = self.fp2int = 0

    def tensor(self, name, dtype, data, shape=None):
        """A buffer with these contents: an array, or patterns of the dtype's size."""
        data = np.ascontiguousarray(data)
        self.memory[name] = np.frombuffer(data.tobytes(), np.uint8).copy()
        return View(name, 0, dtype, shape or (self.memory[name].size // SIZES[dtype],))

    def elements(self, view, dtype=None):
        """Memory from the start of a view to the end of its buffer, as patterns of a dtype."""
        size = SIZES[dtype or view.dtype]
        raw = self.memory[view.buffer][view.offset:]
        return raw[:raw.size // size * size].view(UINT[size])

    def array(self, view):
        return to_numbers(self.elements(view)[view.positions()], view.dtype)

    def read(self, view, index):
        """Patterns at element indices relative to the view's start."""
        cells = self.elements(view)
        self.inside(index, cells)
        return cells[index]

    def write(self, view, index, bits):
        """Later elements of index win over earlier ones."""
        cells = self.elements(view)
        self.inside(index, cells)
        cells[index] = bits

    @staticmethod
    def inside(index, cells):
        if np.size(index) and (np.min(index) < 0 or np.max(index) >= cells.size):
            raise Fault('tensor-overflow')

    def lanewise(self, active, dst, at, sources, f):
        """For each repeat: reads the active lanes of all sources, then writes f of them. sources: pairs of a
        View and the indices of its lanes. f gets and gives vectors of patterns."""
        together = all(s.buffer != dst.buffer for s, _ in sources)
        rows = [slice(None)] if together else [slice(r, r + 1) for r in range(len(active))]
        for row in rows:
            on = active[row]
            self.write(dst, at[row][on], f(*[self.read(s, i[row][on]) for s, i in sources]))
