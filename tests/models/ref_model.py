"""Reference model of the instructions, in numpy, written from the specification and not from the
emulator or the compiler, so that the three can be compared.

    m = Machine(soc, buffers)
    m.run(instrs)
    m.mem[name]            the bytes of a buffer (numpy uint8)
    m.array(name, dtype)   the same as elements; bfloat16 as uint16

soc      name of the processor; only its family matters ('Ascend310P3', 'Ascend910B1', ...), and only
         for error checks that depend on it
buffers  {name: Buffer(scope, dtype, data)}; scope 'GM', 'UB', 'L1', 'L0A', 'L0B' or 'L0C'; data an
         array (its bytes are copied), or a number of elements (GM: zeros; on-core: bytes 0xff)
instrs   list of (name, operands): operands is a dict from the names of runtime/isa/form.def to
         dst, src, src0, src1   Ref(buffer, byte offset, dtype)
         mask                   N, or [high, low], or [m3, m2, m1, m0]; with mask_mode='counter' N
         scalar                 a number (rounded to the dtype once), or Bits(pattern)
         all others             int
         Omitted: sid, src_stride, dst_stride, mode, mask_mode ('normal').
         Also ('set_padding', {'value': n}), and, for single elements,
         ('load', {'src': Ref}) which returns the element's bits through m.loaded, and
         ('store', {'dst': Ref, 'value': number or Bits}).

A broken rule raises Fault(rule name). Only the rules that can depend on values known while running are
checked: ranges, masks, alignment, bounds. Overlap is not an error here: evaluation order gives one
result (all reads of a repeat, then all writes; a burst is read before it is written).

Buffers in UB, L1 and GM end at a multiple of 32 bytes, in GM 32 bytes after it with zeros, which m.mem includes.
"""
import sys
import os
import collections

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import slice_model

np.seterr(all='ignore')

Ref = collections.namedtuple('Ref', 'buffer offset dtype')
Buffer = collections.namedtuple('Buffer', 'scope dtype data')
Bits = collections.namedtuple('Bits', 'pattern')

BLOCK = 32
REPEAT = 256
SIZES = {'uint8': 1, 'int8': 1, 'bool': 1, 'uint16': 2, 'int16': 2, 'float16': 2, 'bfloat16': 2,
         'uint32': 4, 'int32': 4, 'float32': 4, 'uint64': 8, 'int64': 8}
UINT = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
NAN = {'float16': 0x7e00, 'bfloat16': 0x7fc0, 'float32': 0x7fc00000}
FLOATS = ('float16', 'bfloat16', 'float32')
COMPARE = {'lt': np.less, 'le': np.less_equal, 'gt': np.greater, 'ge': np.greater_equal, 'eq': np.equal,
           'ne': np.not_equal}


class Fault(Exception):
    """A rule broken while running. args[0] is the name of the rule."""


def numpy_type(dtype):
    return np.dtype('uint16' if dtype == 'bfloat16' else dtype)


def round_up(n, unit):
    return -(-n // unit) * unit


# ---- numbers -----------------------------------------------------------------------------------------


def bfloat16_bits(x):
    """Patterns of float32 values rounded to nearest even."""
    u = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    r = ((u + 0x7fff + ((u >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(NAN['bfloat16']), r)


def scalar_bits(value, dtype):
    """Pattern of a number as an operand of this dtype, as a Python int."""
    size = SIZES[dtype]
    if isinstance(value, Bits):
        return value.pattern & ((1 << 8 * size) - 1)
    if dtype == 'bfloat16':
        return int(bfloat16_bits(np.array([value], np.float32))[0])
    if dtype in FLOATS:
        return int(np.array([value], np.float64).astype(dtype).view(UINT[size])[0])
    return int(value) & ((1 << 8 * size) - 1)


def canonical(bits, dtype):
    """Patterns with every NaN replaced by the quiet NaN."""
    v = bits.view(dtype)
    return np.where(np.isnan(v), bits.dtype.type(NAN[dtype]), bits)


def arithmetic(op, a, b, dtype):
    """op on patterns a and b (numpy arrays of unsigned ints of the dtype's size)."""
    if dtype in FLOATS:
        x, y = a.view(dtype).astype(np.float32), b.view(dtype).astype(np.float32)
        r = {'add': np.add, 'sub': np.subtract, 'mul': np.multiply}[op](x, y)
        return canonical(r.astype(dtype).view(a.dtype), dtype)
    wide = {'add': a + b, 'sub': a - b, 'mul': a * b}[op]
    return wide.astype(a.dtype)


def select(op, a, b, dtype):
    """max and min: the first operand when neither is the larger or smaller; a NaN wins."""
    x, y = a.view(dtype), b.view(dtype)
    second = y > x if op == 'max' else y < x
    r = np.where(second, b, a)
    if dtype in FLOATS:
        r = np.where(np.isnan(x) | np.isnan(y), a.dtype.type(NAN[dtype]), r)
    return r


def absolute(a, dtype):
    if dtype in FLOATS:
        return a & a.dtype.type((1 << (8 * a.itemsize - 1)) - 1)
    return np.where(a.view(dtype) < 0, np.negative(a.view(dtype)).view(a.dtype), a)


def relu(a, dtype):
    r = np.where(a.view(dtype) > 0, a, a.dtype.type(0))
    if dtype in FLOATS:
        r = np.where(np.isnan(a.view(dtype)), a.dtype.type(NAN[dtype]), r)
    return r


BINARY = {
    'vec_add': lambda a, b, t: arithmetic('add', a, b, t),
    'vec_sub': lambda a, b, t: arithmetic('sub', a, b, t),
    'vec_mul': lambda a, b, t: arithmetic('mul', a, b, t),
    'vec_max': lambda a, b, t: select('max', a, b, t),
    'vec_min': lambda a, b, t: select('min', a, b, t),
    'vec_and': lambda a, b, t: a & b,
    'vec_or': lambda a, b, t: a | b,
}
VECTOR_SCALAR = {
    'vec_adds': lambda a, b, t: arithmetic('add', a, b, t),
    'vec_muls': lambda a, b, t: arithmetic('mul', a, b, t),
}
UNARY = {
    'vec_abs': absolute,
    'vec_relu': relu,
    'vec_not': lambda a, t: ~a,
}


# ---- conversions of moves between UB and L0C ------------------------------------------------------------


def move_relu(bits, dtype):
    """x > 0 ? x : +0; a NaN gives +0."""
    return np.where(bits.view(dtype) > 0, bits, bits.dtype.type(0))


def narrow(bits):
    """float32 to float16: nearest even; overflow and infinity saturate, NaN gives +0."""
    x = bits.view(np.float32)
    h = x.astype(np.float16)
    h = np.where(np.isinf(h), np.copysign(np.float16(65504), h), h).astype(np.float16)
    return np.where(np.isnan(x), np.uint16(0), h.view(np.uint16))


def widen(bits):
    return canonical(bits.view(np.float16).astype(np.float32).view(np.uint32), 'float32')


def convert(bits, src, dst, code):
    if code == 0 and SIZES[src] == SIZES[dst]:
        return bits
    if (code, src, dst) == (1, 'float32', 'float16'):
        return narrow(bits)
    if (code, src, dst) == (2, 'float32', 'float16'):
        return move_relu(narrow(bits), 'float16')
    if (code, src, dst) == (4, 'float16', 'float32'):
        return widen(bits)
    if code == 5 and src == dst and src in ('float16', 'float32', 'int32'):
        return move_relu(bits, src)
    raise Fault('type-pair')


# ---- the machine ------------------------------------------------------------------------------------------


class Machine:
    def __init__(self, soc, buffers):
        self.soc = soc
        self.buffers = dict(buffers)
        self.mem = {name: self.make(b) for name, b in self.buffers.items()}
        self.padding = 0
        self.loaded = None

    @staticmethod
    def make(b):
        if isinstance(b.data, (int, np.integer)):
            n = int(b.data) * SIZES[b.dtype]
            data = np.full(n, 0 if b.scope == 'GM' else 0xff, np.uint8)
        else:
            data = np.frombuffer(np.ascontiguousarray(b.data).tobytes(), np.uint8).copy()
        if b.scope in ('GM', 'UB', 'L1'):
            tail = round_up(len(data), BLOCK) + (BLOCK if b.scope == 'GM' else 0) - len(data)
            data = np.concatenate([data, np.full(tail, 0 if b.scope == 'GM' else 0xff, np.uint8)])
        return data

    def array(self, name, dtype=None):
        """A copy of the elements, without what is after them."""
        b = self.buffers[name]
        t = numpy_type(dtype or b.dtype)
        raw = self.mem[name]
        if not isinstance(b.data, (int, np.integer)):
            raw = raw[:np.asarray(b.data).nbytes]
        else:
            raw = raw[:int(b.data) * SIZES[b.dtype]]
        return raw[:len(raw) // t.itemsize * t.itemsize].view(t).copy()

    def run(self, instrs):
        for name, operands in instrs:
            self.step(name, operands)

    def step(self, name, o):
        if name == 'data_move':
            self.data_move(o)
        elif name == 'data_copy':
            self.slices(o)
        elif name in ('data_copy.slice', 'data_copy.slice8'):
            self.segments(o)
        elif name == 'data_copy.dim':
            self.slice_dim(o)
        elif name == 'set_padding':
            self.padding = int(o['value'])
        elif name == 'load':
            self.loaded = int(self.read(o['src'], 0, SIZES[o['src'].dtype], True).view(
                UINT[SIZES[o['src'].dtype]])[0])
        elif name == 'store':
            self.store(o)
        elif name.startswith('vec_cmpv_'):
            self.compare(name, o)
        elif name == 'vec_sel':
            self.select(o)
        else:
            self.vector(name, o)

    # ---- bytes

    def aligned(self, ref):
        """On-core operands start at a multiple of their memory's unit."""
        scope = self.buffers[ref.buffer].scope
        if scope in ('UB', 'L1'):
            unit = 32
        elif scope == 'L0C':
            unit = 1024 if SIZES[ref.dtype] >= 4 else 512
        else:
            unit = 512 if scope in ('L0A', 'L0B') else 1
        if ref.offset % unit:
            raise Fault('address-align')

    def inside(self, ref, extent):
        if ref.offset < 0 or ref.offset + extent > len(self.mem[ref.buffer]):
            raise Fault('tensor-overflow')

    def read(self, ref, offset, n, checked=False):
        if checked:
            if ref.offset % SIZES[ref.dtype]:
                raise Fault('address-align')
            self.inside(ref, offset + n)
        at = ref.offset + offset
        return self.mem[ref.buffer][at:at + n].copy()

    def store(self, o):
        ref, size = o['dst'], SIZES[o['dst'].dtype]
        if ref.offset % size:
            raise Fault('address-align')
        self.inside(ref, size)
        bits = np.array([scalar_bits(o['value'], ref.dtype)], UINT[size])
        self.mem[ref.buffer][ref.offset:ref.offset + size] = bits.view(np.uint8)

    # ---- moves

    def slices(self, o):
        """data_copy with lists of SliceInfo, as tuples."""
        dst, src = o['dst'], o['src']
        lists = o['dst_slice_info'], o['src_slice_info']
        slice_model.check(*lists, SIZES[dst.dtype], self.buffers[dst.buffer].scope == 'UB')
        slice_model.copy(*[self.mem[r.buffer][r.offset:].view(UINT[SIZES[r.dtype]]) for r in (dst, src)], *lists)

    def segments(self, o):
        """Segments of len bytes; counts and pitches of each side, the innermost dimension first."""
        places = {}
        for side in ('dst', 'src'):
            dims = len([key for key in o if key.startswith(side + '_count')])
            pairs = [(o[f'{side}_count[{i}]'], o[f'{side}_pitch[{i}]']) for i in range(dims)]
            if self.buffers[o[side].buffer].scope == 'UB' and [p for n, p in pairs if n > 1 and p % 32]:
                raise Fault('address-align')
            self.aligned(o[side])
            places[side] = [0]
            for n, pitch in pairs:
                places[side] = [at + k * pitch for k in range(n) for at in places[side]]
            self.inside(o[side], max(places[side]) + o['len'])
        if len(places['dst']) != len(places['src']):
            raise Fault('slice-total')
        for to, source in zip(places['dst'], places['src']):
            data = self.read(o['src'], source, o['len'])
            start = o['dst'].offset + to
            self.mem[o['dst'].buffer][start:start + o['len']] = data

    def slice_dim(self, o):
        rows = [[o[f'{side}_{f}'] for f in ('start_index', 'end_index', 'stride', 'burst_len', 'shape_value')]
                for side in ('dst', 'src')]
        try:
            slice_model.check_dim(o['dim'], *rows, 32 // o['block_elements'])
        except slice_model.Broken as e:
            raise Fault(e.args[0]) from e

    def data_move(self, o):
        dst, src = o['dst'], o['src']
        nburst, burst = o['nburst'], o['burst']
        gap_s, gap_d = o.get('src_stride', 0), o.get('dst_stride', 0)
        mode = o.get('mode', 0)
        for rule, value, lo, hi in (('range-sid', o.get('sid', 0), 0, 15),
                                    ('range-nburst', nburst, 1, 4095),
                                    ('range-burst', burst, 1, 65535),
                                    ('range-stride', gap_s, 0, 65535),
                                    ('range-stride', gap_d, 0, 65535)):
            if not lo <= value <= hi:
                raise Fault(rule)
        scope_s = self.buffers[src.buffer].scope
        scope_d = self.buffers[dst.buffer].scope
        fractal = 'L0C' in (scope_s, scope_d)
        unit_s = unit_d = BLOCK
        if fractal:
            unit_s, unit_d = 256 * SIZES[src.dtype], 256 * SIZES[dst.dtype]
        len_s, len_d = burst * unit_s, burst * unit_d
        pitch_s = len_s + gap_s * (unit_s if scope_s == 'L0C' else BLOCK)
        pitch_d = len_d + gap_d * (unit_d if scope_d == 'L0C' else BLOCK)
        pad = mode if not fractal else 0
        if pad:
            if burst != 1:
                raise Fault('pad-mode-burst')
            if gap_s != 0:
                raise Fault('pad-mode-stride')
            len_s = pitch_s = 1 << (pad - 1)
        for ref, pitch, length in ((dst, pitch_d, len_d), (src, pitch_s, len_s)):
            self.aligned(ref)
            self.inside(ref, (nburst - 1) * pitch + length)
        for i in range(nburst):
            data = self.read(src, i * pitch_s, len_s)
            if pad:
                data = self.padded(data, pad)
            elif fractal:
                bits = convert(data.view(UINT[SIZES[src.dtype]]), src.dtype, dst.dtype, mode)
                data = np.ascontiguousarray(bits).view(np.uint8)
            at = dst.offset + i * pitch_d
            self.mem[dst.buffer][at:at + len_d] = data

    def padded(self, data, mode):
        block = np.empty(BLOCK, np.uint8)
        if mode == 1:
            block[:] = self.padding & 0xff
        else:
            block[0::2] = self.padding & 0xff
            block[1::2] = self.padding >> 8 & 0xff
        block[:len(data)] = data
        return block

    # ---- vectors

    def lanes(self, o, dtype):
        """For each repeat the numbers of its active lanes, in ascending order."""
        full = REPEAT // SIZES[dtype]
        mask, repeat = o['mask'], o['repeat_times']
        if o.get('mask_mode', 'normal') == 'counter':
            if not 1 <= mask <= 2**32 - 1:
                raise Fault('mask-range')
            left = range(0, mask, full)
            return [np.arange(min(full, mask - done)) for done in left]
        if isinstance(mask, (list, tuple)):
            bits = 0
            for word in mask:
                bits = bits << 64 | (int(word) & (2**64 - 1))
            if bits == 0:
                raise Fault('mask-zero')
            if bits >> full:
                raise Fault('mask-high-nonzero')
            active = np.array([l for l in range(full) if bits >> l & 1])
        else:
            if not 1 <= mask <= full:
                raise Fault('mask-range')
            active = np.arange(mask)
        if not 0 <= repeat <= 255:
            raise Fault('repeat-range')
        return [active] * repeat

    def operand(self, o, name, dtype, lanes):
        """Checks a tensor operand and gives, for each repeat, the indexes of its bytes: one row per lane."""
        ref, stride = o[name], o[name + '_rep_stride']
        if ref.dtype != dtype:
            raise Fault('dtype-mismatch')
        if not 0 <= stride <= 255:
            raise Fault('repeat-stride-range')
        size = SIZES[dtype]
        self.aligned(ref)
        rows = []
        for r, active in enumerate(lanes):
            start = ref.offset + r * stride * BLOCK + active * size
            rows.append(start[:, None] + np.arange(size))
        if rows:
            end = max(int(row.max()) for row in rows) + 1
            self.inside(ref, end - ref.offset)
        return rows

    def vector(self, name, o):
        dtype = o['dst'].dtype
        lanes = self.lanes(o, dtype)
        word = UINT[SIZES[dtype]]
        sources = [s for s in ('src', 'src0', 'src1') if s in o]
        dst = self.operand(o, 'dst', dtype, lanes)
        srcs = [(o[s].buffer, self.operand(o, s, dtype, lanes)) for s in sources]
        bits = word(scalar_bits(o['scalar'], dtype)) if 'scalar' in o else None
        for r in range(len(lanes)):
            values = [np.ascontiguousarray(self.mem[b][rows[r]]).view(word).reshape(-1)
                      for b, rows in srcs]
            n = len(lanes[r])
            if name == 'vec_dup':
                result = np.full(n, bits, word)
            elif name in BINARY:
                result = BINARY[name](values[0], values[1], dtype)
            elif name in VECTOR_SCALAR:
                result = VECTOR_SCALAR[name](values[0], np.full(n, bits, word), dtype)
            else:
                result = UNARY[name](values[0], dtype)
            result = np.ascontiguousarray(result.astype(word)).view(np.uint8)
            self.mem[o['dst'].buffer][dst[r]] = result.reshape(n, -1)

    # ---- comparisons and selects whose bits are those of all lanes of all repeats

    def source(self, o, name, dtype, active, r):
        """The lanes of a repeat, as bits."""
        rows = self.operand(o, name, dtype, active)[r]
        return np.ascontiguousarray(self.mem[o[name].buffer][rows]).view(UINT[SIZES[dtype]]).reshape(-1)

    def compare(self, name, o):
        dtype = o['src0'].dtype
        active = self.lanes(dict(o, mask=REPEAT // SIZES[dtype]), dtype)
        for r in range(len(active)):
            a, b = (self.source(o, s, dtype, active, r).view(dtype) for s in ('src0', 'src1'))
            bits = np.packbits(COMPARE[name[-2:]](a, b), bitorder='little')
            at = o['dst'].offset + r * len(bits)
            self.mem[o['dst'].buffer][at:at + len(bits)] = bits

    def select(self, o):
        dtype = o['dst'].dtype
        active = self.lanes(o, dtype)
        dst = self.operand(o, 'dst', dtype, active)
        size = REPEAT // SIZES[dtype] // 8
        for r, lanes in enumerate(active):
            a = self.source(o, 'src0', dtype, active, r)
            other = np.full(len(a), scalar_bits(o['src1'], dtype), a.dtype) if o['mode'] == 1 \
                else self.source(o, 'src1', dtype, active, r)
            at = o['sel'].offset + r * size
            bits = np.unpackbits(self.mem[o['sel'].buffer][at:at + size], bitorder='little')[lanes]
            result = np.ascontiguousarray(np.where(bits == 1, a, other))
            self.mem[o['dst'].buffer][dst[r]] = result.view(np.uint8).reshape(len(a), -1)
