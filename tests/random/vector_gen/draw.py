"""What the families of methods share: an instance being drawn, its tensors, Scalars, masks and strides."""
import os
import re

import numpy as np

from vector_model.core import SIZES, UINT, lane_index, mask_lanes
from . import values

# Processors that instances are drawn for: generation, and bit of the kind of core in dtypes.tsv.
PROCESSORS = {'Ascend310': ('v100', 0), 'Ascend910A': ('v100', 1), 'Ascend310P3': ('v200', 2),
              'Ascend910B1': ('v220', 8), 'Ascend310B1': ('v300', 12)}
SHORT = {'u8': 'uint8', 's8': 'int8', 'u16': 'uint16', 's16': 'int16', 'f16': 'float16', 'bf16': 'bfloat16',
         'u32': 'uint32', 's32': 'int32', 'f32': 'float32', 'u64': 'uint64', 's64': 'int64'}
LIMIT = 12288   # bytes that one operand may span
FAMILIES = {}   # method: function(d, method, operand types)


def read_types():
    """{method: [(operand types, mask of cores)]}"""
    out = {}
    for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'dtypes.tsv')):
        if not line.startswith('#'):
            methods, operands, cores = line.split('\t')
            for m in methods.split():
                out.setdefault(m, []).append((operands, int(cores, 16)))
    return out


TYPES = read_types()


# 64-bit integers exist for what is done lane by lane and for reductions.
LONG = re.compile(r'v(ec_)?(add|sub|mul|max|min|and|or|abs|relu|not|adds|muls|maxs|mins)$|v(ec_)?(cmpv?|sel)(_|$)|'
                  r'vcg?(add|max|min)$|v(ec_)?cpadd$|scalar_')


def left_out(method, operands):
    """Entries of the type table that the specification gives no meaning, or that no tensor can have."""
    if operands in ('int64', 'f16s64s64') and not LONG.match(method):
        return True
    return operands.endswith('s4') or (method in ('vshl', 'vshr') and operands.startswith('float'))


# Methods of registers that are drawn together with an instruction that uses the register.
PARTNERS = {'set_rpn_cor_ir': 'rpn_cor', 'mov_rpn_cor_ir_to_scalar': 'rpn_cor', 'set_rpn_offset': 'vrpac',
            'mov_vmrgsort4_sr_to_scalar': 'vmrgsort4'}
# One processor of a family lacks a type that the others have.
LACKS = {('vmrgch', 'int16', 'Ascend310P3'), ('vmrgch', 'uint16', 'Ascend310P3')}


def types(method, processor):
    """Operand types of a method on a processor. Only the 910B moves bfloat16 in and out."""
    if method in PARTNERS and not types(PARTNERS[method], processor):
        return []
    profile, bit = PROCESSORS[processor]
    return [t for t, cores in TYPES.get(method, []) if cores >> bit & 1 and not left_out(method, t)
            and (method, t, processor) not in LACKS and (profile == 'v220' or not re.search('bf16|bfloat16', t))]


class Tensor:
    """A tensor of one instance: patterns it starts with; moved: brought in and out (work tensors are not);
    free: the call is legal with any other contents."""

    def __init__(self, dtype, data, moved=True, free=False):
        self.dtype, self.data, self.moved, self.free = dtype, data, moved, free
        self.slot = None   # name in the program
        self.shape = None  # of a tensor that calls see as more than a row of elements: it is not shared


class At:
    """An operand: a tensor from an element on, or a slice of it seen in a shape (index: a tuple of slices)."""

    def __init__(self, tensor, element=0, shape=None, index=None):
        self.tensor, self.element, self.shape, self.index = tensor, element, shape, index

    @property
    def dtype(self):
        return self.tensor.dtype


class Register:
    """A Scalar, loaded from a tensor, so that compilers cannot know it. result: stored there after the calls."""

    def __init__(self, dtype, source=None, result=None):
        self.dtype, self.source, self.result = dtype, source, result
        self.name = None


class Handle:
    """What a call that fills CMPMASK or another register returns: the name of a handle in the program."""

    def __init__(self, name):
        self.name = name


class Draw:
    """One instance. steps: (method, {parameter: value}); methods are called in turn."""

    def __init__(self, method, processor, operands, seed, allowed=(), late=0.08):
        self.allowed = allowed   # methods that may help: setters of modes, readers of registers
        self.late = late         # share of integer arguments that only the run knows
        self.rng = np.random.default_rng(seed)
        self.seed, self.method, self.processor, self.operands = seed, method, processor, operands
        self.profile = PROCESSORS[processor][0]
        self.tensors, self.registers, self.steps = [], [], []
        FAMILIES[method](self, method, operands)

    # ---- choices

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def between(self, low, high):
        return int(self.rng.integers(low, high + 1))

    # ---- operands

    def tensor(self, dtype, elements, data=None, moved=True):
        per_block = 32 // SIZES[dtype]
        n = max(-(-int(elements) // per_block) * per_block, per_block)
        full = values.contents(self.rng, dtype, n) if moved else np.zeros(n, UINT[SIZES[dtype]])
        if data is not None:
            full[:len(data)] = data
        t = Tensor(dtype, full, moved, moved and data is None and dtype != 'bool')
        self.tensors.append(t)
        return t

    def operand(self, dtype, elements, data=None):
        """An operand of its own tensor that has room for that many elements, sometimes not at its start."""
        skip = self.between(1, 3) * (32 // SIZES[dtype]) if self.chance(0.2) else 0
        t = self.tensor(dtype, skip + elements)
        if data is not None:
            t.data[skip:skip + len(data)] = data
            t.free = False
        return At(t, skip)

    def loaded(self, dtype, bits):
        t = self.tensor(dtype, 1, np.array([bits], UINT[SIZES[dtype]]))
        r = Register(dtype, source=t)
        self.registers.append(r)
        return r

    def result(self, dtype):
        """A Scalar that a method sets."""
        r = Register(dtype, result=self.tensor(dtype, 1))
        self.registers.append(r)
        return r

    def integer(self, n):
        """An integer argument: mostly a literal."""
        return self.loaded('int32', n & 0xffffffff) if self.chance(self.late) else int(n)

    def number(self, dtype):
        """A scalar operand."""
        if self.chance(0.4):
            return self.loaded(dtype, values.contents(self.rng, dtype, 1)[0])
        return values.finite_literal(self.rng, dtype)

    def call(self, method, **arguments):
        self.steps.append((method, arguments))

    # ---- lanes

    def repeats(self, most=4):
        if self.chance(0.5):
            return 1
        return self.between(40, 100) if self.chance(0.01) else self.between(2, most)

    def mask(self, lanes):
        """A legal mask of one repeat."""
        kind = self.rng.random()
        if kind < 0.3:
            return lanes
        if kind < 0.65:
            return self.integer(self.between(1, lanes))
        words = [self.word() for _ in range(4 if lanes == 256 else 2)]
        if lanes <= 64:
            words[0] = 0
        if lanes == 32:
            words[1] &= 2**32 - 1
        if not any(words):
            words[-1] = 1
        return [self.loaded('uint64', w) for w in words] if self.chance(0.1) else words

    def word(self):
        kind = self.rng.random()
        if kind < 0.2:
            return 0
        if kind < 0.4:
            return 2**64 - 1
        if kind < 0.5:
            return 1 << self.between(0, 63)
        return int.from_bytes(self.rng.bytes(8), 'little')

    def blocks(self, size, lanes, n, unit, source, most=255):
        """Block and repeat stride of an operand that keep it small."""
        wide = max(lanes * size // 32, 1)
        if unit >= 2:
            be = 32 // size
            return self.between(0, 5), (lanes + self.between(0, 20) if unit == 2 else self.between(0, be))
        block = 1
        if self.chance(0.25):
            block = self.pick(0, 2, 3, self.between(0, 8), self.between(0, 40)) if source or unit == 0 else 2
        if unit == 1:
            return max(block, 1), self.between(0, 4)
        repeat = wide
        if self.chance(0.4):
            repeat = self.pick(0, wide, wide * max(block, 1), self.between(0, 12), self.between(0, 30))
        span = ((n - 1) * repeat + (wide - 1) * block + 1) * 32
        return (block, repeat) if span <= LIMIT and repeat <= most else (1, wide)

    def unit(self, n):
        """stride_unit, for methods that have it."""
        return self.between(1, 3) if self.profile == 'v200' and n <= 8 and self.chance(0.12) else 0


def known(v):
    """The value of an argument."""
    if isinstance(v, list):
        return [known(x) for x in v]
    return int(v.source.data[0]) if isinstance(v, Register) else v


class Lanes:
    """Masks and repeats of a call: what is active, and the arguments that say so."""

    def __init__(self, d, lanes, counter=False, most=4, repeats=None):
        self.lanes, self.mode = lanes, 'normal'
        if counter and d.profile != 'v100' and d.chance(0.15):
            self.mode = 'counter'
            total = d.between(1, most * lanes)
            self.mask, self.repeat = d.integer(total), d.between(1, 3)
            self.n = -(-total // lanes)
            self.active = np.arange(self.n * lanes).reshape(self.n, lanes) < total
            return
        self.n = repeats or d.repeats(most)
        self.mask, self.repeat = d.mask(lanes), d.integer(self.n)
        self.active = np.broadcast_to(mask_lanes(known(self.mask), lanes), (self.n, lanes))
        if not repeats and d.chance(0.02):
            self.repeat = d.loaded('int32', 0)   # known only while running: nothing happens

    def at(self, size, block, repeat, unit=0):
        return lane_index(size, self.lanes, block, repeat, unit, self.n)

    def span(self, at):
        """Elements up to the last one that an active lane accesses."""
        return int(at[self.active].max()) + 1


def covered(lanes, at, size, start):
    """The bytes of an operand, for each repeat: every block counts from its first to its last active lane."""
    be = 32 // size
    out = []
    for r in range(lanes.n):
        accessed = set()
        for b in range(0, lanes.lanes, be):
            on = np.nonzero(lanes.active[r, b:b + be])[0]
            if len(on):
                first, last = at[r, b + on[0]], at[r, b + on[-1]]
                accessed.update(range(start + int(first) * size, start + (int(last) + 1) * size))
        out.append(accessed)
    return out


def may_overlap(dst, src, same_start):
    """The rule of overlap for operands in one tensor, on what covered() gives."""
    if len(dst) == 1:
        return same_start or not dst[0] & src[0]
    return all(not dst[t] & src[t + 1] for t in range(len(dst) - 1))
