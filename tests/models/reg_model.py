"""Vector registers of the 310B class, a second time: a machine in numpy, written from what the registers' modes are
said to do, not from our C code. Registers are rows of 256 bytes; arithmetic and conversions are those of
vector_model, which is independent as well.

    m = Registers()
    m.memory['a'] = ('uint8', bytes)            a tensor in UB
    m.vector_load('v', ('a', 32), 'NORM')       the register v, of the dtype that Vector gave it
"""
import sys
import os
import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
from vector_model import Machine
from vector_model.convert import convert
from vector_model.core import SIZES, UINT, mask_lanes

BYTES = 256
BINARY = ('vector_vadd', 'vector_vsub', 'vector_vmul', 'vector_vdiv', 'vector_vmax', 'vector_vmin', 'vector_vand',
          'vector_vor')
SCALAR = ('vector_vadds', 'vector_vmuls', 'vector_vmaxs', 'vector_vmins')
UNARY = ('vector_vabs', 'vector_vrelu', 'vector_vnot', 'vector_vexp', 'vector_vln', 'vector_vsqrt', 'vector_vrec',
         'vector_vrsqrt')
METHODS = BINARY + SCALAR + UNARY + ('vector_load', 'vector_store', 'vector_cast', 'vector_vintlv', 'vector_vdintlv',
                                     'vector_vdhistv2', 'vector_vdup')
PARTS = {None: 0, 'PART_EVEN': 0, 'PART_ODD': 1, 'PART_P0': 0, 'PART_P1': 1, 'PART_P2': 2, 'PART_P3': 3}


class Registers:
    def __init__(self):
        self.machine = Machine('v300')
        self.types = {}
        self.registers = {}
        self.memory = {}

    def vector(self, name, dtype, raw):
        self.types[name] = dtype
        self.registers[name] = np.frombuffer(raw, np.uint8).copy()

    def lanes(self, name):
        """The register's elements, as patterns; writable."""
        return self.registers[name].view(UINT[SIZES[self.types[name]]])

    def count(self, name):
        return BYTES // SIZES[self.types[name]]

    # ---- memory

    def vector_load(self, dst, src, mode='NORM'):
        names = dst if isinstance(dst, tuple) else (dst,)
        size = SIZES[self.types[names[0]]]
        n = BYTES // size
        data = self.memory[src[0]][src[1]:]
        if mode == 'UNPK':
            half = data[:n * size // 2].view(UINT[size // 2])
            self.lanes(dst)[:] = half.astype(UINT[size])
            return
        if mode == 'BDINTLV':
            blocks = data[:2 * BYTES].reshape(8, 2, 32)
            for k, name in enumerate(names):
                self.registers[name][:] = blocks[:, k].reshape(-1)
            return
        reach = {'NORM': n, 'BRC': 1, 'US': n // 2, 'DS': 2 * n, 'E2B': 8, 'DINTLV': 2 * n}[mode]
        x = data[:reach * size].view(UINT[size])
        if mode == 'DINTLV':
            for k, name in enumerate(names):
                self.lanes(name)[:] = x[k::2]
            return
        self.lanes(dst)[:] = {'NORM': lambda: x, 'BRC': lambda: np.repeat(x, n), 'US': lambda: np.repeat(x, 2),
                              'DS': lambda: x[::2], 'E2B': lambda: np.repeat(x, 32 // size)}[mode]()

    def vector_store(self, dst, src, mode='NORM', mask=None):
        names = src if isinstance(src, tuple) else (src,)
        size, n = SIZES[self.types[names[0]]], self.count(names[0])
        on = mask_lanes(n if mask is None else mask, n)
        out = self.memory[dst[0]][dst[1]:]
        values = [self.lanes(x) for x in names]
        if mode == 'PK':
            size //= 2
            values = [values[0].astype(UINT[size])]
        if mode == 'ONEPT':
            on[1:] = False
        for lane in np.flatnonzero(on):
            for k, v in enumerate(values):
                at = (lane * len(values) + k) * size
                out[at:at + size] = np.frombuffer(v[lane].tobytes(), np.uint8)

    # ---- between registers

    def vector_vintlv(self, dst0, dst1, src0, src1):
        both = np.stack([self.lanes(src0), self.lanes(src1)], axis=1).reshape(-1)
        self.lanes(dst0)[:], self.lanes(dst1)[:] = np.split(both, 2)

    def vector_vdintlv(self, dst0, dst1, src0, src1):
        both = np.concatenate([self.lanes(src0), self.lanes(src1)])
        self.lanes(dst0)[:], self.lanes(dst1)[:] = both[::2], both[1::2]

    def vector_vdhistv2(self, mask, dst0, dst1, src):
        on = mask_lanes(BYTES if mask is None else mask, BYTES)
        counts = np.bincount(self.registers[src][on], minlength=256).astype(np.uint16)
        self.lanes(dst0)[:] += counts[:128]
        self.lanes(dst1)[:] += counts[128:]

    def vector_cast(self, mask, dst, src, saturate=False, part=None, mode='none'):
        to, of = SIZES[self.types[dst]], SIZES[self.types[src]]
        n = BYTES // max(to, of)
        on = np.flatnonzero(mask_lanes(n if mask is None else mask, n))
        k = PARTS[part]
        read = on if of >= to else on * (to // of) + k
        write = on if to >= of else on * (of // to) + k
        self.machine.fp2int = self.machine.fp2fp = 0 if saturate else 1
        self.lanes(dst)[write] = convert(self.machine, self.lanes(src)[read].copy(), self.types[src], self.types[dst],
                                         mode)

    # ---- arithmetic, as on tensors of one repeat

    def on_lanes(self, method, mask, names, *scalar):
        views = []
        for i, name in enumerate(names):
            views.append(self.machine.tensor(f't{i}', self.types[name], self.registers[name]))
        mask = self.count(names[0]) if mask is None else mask
        strides = [1] * len(names) + [8] * len(names)
        getattr(self.machine, method)(mask, *views, *scalar, 1, *strides)
        self.registers[names[0]][:] = self.machine.memory['t0']

    def vector_vdup(self, mask, dst, value):
        self.on_lanes('vector_dup', mask, (dst,), value)


def define(name, method, operands):
    def call(self, mask, *args):
        self.on_lanes(method, mask, args[:operands], *args[operands:])
    setattr(Registers, name, call)


for _name in BINARY:
    define(_name, 'v' + _name[8:], 3)
for _name in SCALAR + UNARY:
    define(_name, 'v' + _name[8:], 2)
