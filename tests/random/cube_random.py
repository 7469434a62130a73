#!/usr/bin/python3
"""Random calls of the matrix unit (cube_model), many in one program, on native code at two optimisation levels and on
the emulator: all bytes that the calls write, and some around them.

TIKC_CUBES sets the number of calls (400), TIKC_SEED the first seed (1). Each failure prints a command that runs its
call alone. Ends with 'N passed, N failed'.
usage: cube_random.py [--match TEXT]
       cube_random.py KIND SEED     one call: prints its program and what differs"""
import argparse
import concurrent.futures
import os
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD  # noqa
import cube_model as cm  # noqa: E402
from cube_model.program import Program  # noqa: E402
from differential import results  # noqa: E402
from operand import Names, Operands  # noqa: E402

CALLS = 25   # in one program
OLD = ['Ascend310', 'Ascend910A']
NEW = ['Ascend310P3', 'Ascend610', 'BS9SX1AA']
TRIPLES = {'old': [('uint8', 'uint8', 'uint32'), ('int8', 'int8', 'int32'), ('uint8', 'int8', 'int32'),
                   ('float16', 'float16', 'float16'), ('float16', 'float16', 'float32')]}
WIDE = {'Ascend910B1': [('uint8', 'uint8', 'int32'), ('int8', 'int8', 'int32'), ('uint8', 'int8', 'int32'),
                        ('float16', 'float16', 'float32'), ('bfloat16', 'bfloat16', 'float32'), ('float32',) * 3],
        'Ascend310B1': [('int8', 'int8', 'int32'), ('float16', 'float16', 'float32'), ('float32',) * 3]}
BIASED = dict(WIDE, Ascend610Lite=[('int8', 'int8', 'int32'), ('float16', 'float16', 'float32')])
WIDE_HIGH = [('int8', 'int8', 'int32'), ('float16', 'float16', 'float32'), ('float32',) * 3]
TRIPLES['new'] = TRIPLES['old'] + [('uint8', 'uint8', 'int32')]


class Draw:
    """Random numbers and data of one call."""

    def __init__(self, p, seed):
        self.p = p
        self.r = np.random.default_rng(seed)
        self.ops = Operands(np.random.default_rng([seed, 1]), self.late, Names(f'q{p.made}_'))

    def late(self, v):
        """A Scalar that is loaded."""
        name = self.ops.names.fresh()
        tensor = self.p.put('UB', 'int32', np.full(8, v, np.int32))
        self.p.line(f'{name} = t.Scalar("int32", "{name}", {tensor}[0])')
        return name

    def num(self, *values):
        """Numbers of a call that may be Scalars, as its text has them."""
        return ', '.join(self.ops.number(v) for v in values)

    def call(self, text):
        """A call, with what its numbers need."""
        for line in self.ops.around(text):
            self.p.line(line)

    def n(self, lo, hi):
        return int(self.r.integers(lo, hi + 1))

    def pick(self, items):
        return items[self.n(0, len(items) - 1)]

    def flag(self):
        return bool(self.n(0, 1))

    def data(self, dtype, n, sane=False):
        """n elements: small numbers, all numbers, or extreme ones. sane: finite, and no -0."""
        t = cm.NUMPY[dtype]
        if sane and cm.SIZES[dtype] > 1 and dtype != 'float16':   # finite as a float of the same bits
            if cm.SIZES[dtype] == 4:
                return (self.r.integers(1, 2**20, n) / 64).astype(np.float32).view(t)
            x = self.r.integers(1, 1024, n) / 64
            if dtype == 'bfloat16':
                return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
            return x.astype(np.float16).view(t)
        if dtype == 'float16':
            kind = self.n(0, 3)
            if sane or kind == 0:
                x = self.r.integers(-64, 65, n).astype(np.float16) / np.float16(8)
            elif kind == 1:
                x = self.r.standard_normal(n).astype(np.float16)
            elif kind == 2:
                x = (self.r.standard_normal(n) * 1000).astype(np.float16)
            else:
                x = self.r.integers(0, 2**16, n, dtype=np.uint16).view(np.float16)
            return np.where(x == 0, np.float16(0), x) if sane else x
        if dtype == 'float32':
            x = self.r.standard_normal(n).astype(np.float32) * np.float32(10.0 ** self.n(-3, 3))
            if self.n(0, 3) == 0:
                x[:: 7] = self.r.choice(np.array([np.inf, -np.inf, np.nan, 3e38, -3e38, -0.0], np.float32), len(x[:: 7]))
            return x
        if dtype == 'bfloat16':
            x = self.r.standard_normal(n).astype(np.float32) * np.float32(10.0 ** self.n(-3, 3))
            return (x.view(np.uint32) >> 16).astype(np.uint16)
        info = np.iinfo(t)
        if self.n(0, 4) == 0:
            return self.r.choice(np.array([info.min, info.max], t), n)
        return self.r.integers(info.min, info.max, n, dtype=t, endpoint=True)


def bytes_of(a):
    return np.ascontiguousarray(a).reshape(-1).view(np.uint8).copy()


# ---- products ------------------------------------------------------------------------------------------------


def prefill(d, types, m, n):
    """What L0C holds before: numbers as the sums have."""
    x = d.data(types[2], cm.up(m, 16) * cm.up(n, 16))
    if types[2] == 'float16':
        x = np.nan_to_num(x, nan=1.0)
    return x


def saturation(d):
    """Whether infinity is clamped; else the program says so."""
    on = d.n(0, 3) > 0
    d.p.line(f't.set_fp2fp_mode({0 if on else 1})')
    return on


def mmad(d):
    types = d.pick(TRIPLES['old' if d.p.processor in OLD else 'new'])
    k0 = 32 // cm.SIZES[types[0]]
    m, n = d.pick([1, 1, 16, d.n(1, 70), d.n(1, 40), d.n(1, 200)]), d.pick([16, 32, d.n(1, 70), d.n(1, 40)])
    k = d.pick([k0, d.n(1, 40), d.n(1, 150), d.n(100, 600)])
    m = min(m, 32768 // cm.up(k, k0) // 16 * 16)
    n = min(n, 32768 // cm.up(k, k0) // 16 * 16)
    accumulate = d.flag()
    a = d.data(types[0], (1 if m == 1 else cm.up(m, 16)) * cm.up(k, k0))
    b = d.data(types[1], cm.up(k, k0) * cm.up(n, 16))
    start = prefill(d, types, m, n)
    saturate = saturation(d)
    model = bytes_of(start)
    cm.mmad(model, bytes_of(a), bytes_of(b), types, m, k, n, accumulate, saturate=saturate)
    left, right, dst = d.p.put('L0A', types[0], a), d.p.put('L0B', types[1], b), d.p.put('L0C', types[2], start)
    d.call(f't.mmad({dst}, {left}, {right}, {d.num(m, k, n)}, {int(accumulate)})')
    d.p.take(dst, 'L0C', types[2], model.tobytes())


def factor(d, types, side, rows, k, n):
    """One random factor, in L0A (side 0) or L0B, and its name."""
    k0 = 32 // cm.SIZES[types[0]]
    size = (1 if rows == 1 else cm.up(rows, 16)) * cm.up(k, k0) if side == 0 else cm.up(k, k0) * cm.up(n, 16)
    x = d.data(types[side], size)
    return x, d.p.put(('L0A', 'L0B')[side], types[side], x)


def through_table(d, acc, n):
    """A bias that two moves bring to the bias table: bytes there, the tensor, its dtype."""
    dtype = 'int32' if acc == 'int32' else d.pick(['float32', 'float16'])
    unit = 32 if d.p.processor == 'Ascend610Lite' else 64
    burst, gap, size = d.n(1, 2) * (64 // unit), d.n(0, 2), cm.SIZES[dtype]
    wide = burst * unit // size * 4
    bursts = cm.up(-(-n * 4 // wide), 2)
    room = 2 * (bursts * (burst * unit + gap * 32)) // size
    values = d.data(dtype, room) if dtype != 'int32' else d.r.integers(-2**31, 2**31, room).astype(np.int32)
    if dtype == 'float16':
        values = np.nan_to_num(values, nan=1.0)
    l1 = d.p.put('L1', dtype, values)
    table = np.zeros(bursts * wide, np.uint8)
    name = d.p.tensor('BT', acc, len(table) // 4)
    for odd in (0, 1):   # every other burst
        first = odd * room // 2 // 16 * 16
        numbers = (bursts // 2, burst, gap, wide // unit)
        cm.bias_move(table[odd * wide:], bytes_of(values)[first * size:], acc, dtype, *numbers, unit)
        d.p.line(f't.data_move({name}[{odd * wide // 4}], {l1}[{first}], 0, {", ".join(map(str, numbers))})')
    return table, name, acc


def mmad_fixpipe(d):
    """On processors with more types and a bias, whose sums leave L0C by fixpipe: onto zeros, a bias, or another product."""
    types = d.pick(BIASED[d.p.processor])
    k0 = 32 // cm.SIZES[types[0]]
    m, n = d.pick([1, 16, d.n(1, 50)]), d.pick([16, 32, d.n(1, 50)])
    k = d.pick([k0, d.n(1, 40), d.n(1, 150)])
    saturate = saturation(d)
    dst = d.p.tensor('L0C', types[2], cm.up(m, 16) * cm.up(n, 16))
    model = np.zeros(cm.up(m, 16) * cm.up(n, 16) * 4, np.uint8)
    a, left = factor(d, types, 0, m, k, n)
    b, right = factor(d, types, 1, m, k, n)
    how = d.n(0, 3)
    if how == 3:
        values, bias, dtype = through_table(d, types[2], n)
        cm.mmad(model, bytes_of(a), bytes_of(b), types, m, k, n, False, values, dtype, saturate)
        d.call(f't.mmad({dst}, {left}, {right}, {d.num(m, k, n)}, 0, bias_tensor={bias})')
    elif how == 1:
        dtype = 'int32' if types[2] == 'int32' else d.pick(['float32', 'float16'])
        values = d.data(dtype, n) if dtype != 'int32' else d.r.integers(-2**31, 2**31, n).astype(np.int32)
        bias = d.p.put('L1', dtype, values)
        cm.mmad(model, bytes_of(a), bytes_of(b), types, m, k, n, False, bytes_of(values), dtype, saturate)
        d.call(f't.mmad({dst}, {left}, {right}, {d.num(m, k, n)}, 0, bias_tensor={bias})')
    else:
        cm.mmad(model, bytes_of(a), bytes_of(b), types, m, k, n, saturate=saturate)
        d.call(f't.mmad({dst}, {left}, {right}, {d.num(m, k, n)}, 0)')
    if how == 2:
        cm.mmad(model, bytes_of(a), bytes_of(b), types, m, k, n, True, saturate=saturate)
        d.call(f't.mmad({dst}, {left}, {right}, {d.num(m, k, n)}, 1)')
    d.p.take(dst, 'L0C', types[2], model.tobytes(), columns=cm.up(n, 16))


def matmul_fixpipe(d):
    """matmul on these processors, now and then with a bias."""
    types = d.pick(WIDE_HIGH)
    k0 = 32 // cm.SIZES[types[0]]
    m, k, n = d.n(1, 40), d.n(1, 80), d.n(1, 40)
    saturate = saturation(d)
    a, b = d.data(types[0], cm.up(m, 16) * cm.up(k, k0)), d.data(types[1], cm.up(k, k0) * cm.up(n, 16))
    model = np.zeros(cm.up(m, 16) * cm.up(n, 16) * 4, np.uint8)
    left, right = d.p.put('L1', types[0], a), d.p.put('L1', types[1], b)
    dst = d.p.tensor('L0C', types[2], len(model) // 4)
    if d.flag():
        dtype = 'int32' if types[2] == 'int32' else d.pick(['float32', 'float16'])
        values = d.data(dtype, n) if dtype != 'int32' else d.r.integers(-2**31, 2**31, n).astype(np.int32)
        bias = d.p.put('L1', dtype, values)
        cm.matmul(model, bytes_of(a), bytes_of(b), types, m, k, n, True, bytes_of(values), dtype, saturate)
        d.p.line(f't.matmul({dst}, {left}, {right}, {m}, {k}, {n}, True, {bias})')
    else:
        cm.matmul(model, bytes_of(a), bytes_of(b), types, m, k, n, saturate=saturate)
        d.p.line(f't.matmul({dst}, {left}, {right}, {m}, {k}, {n})')
    d.p.take(dst, 'L0C', types[2], model.tobytes(), columns=cm.up(n, 16))


def conv2d_fixpipe(d):
    """conv2d on these processors, now and then with a bias."""
    types = d.pick(WIDE_HIGH)
    c0 = 4 if d.n(0, 3) == 0 else 32 // cm.SIZES[types[0]]
    (h, w, pad, sw, sh, kw, kh, dw, dh), win = geometry(d)
    c1, cout = d.pick([1, 1, 2, 3]), d.pick([16, 16, 32, 48])
    value = number(d, types[0])
    fm, weight = d.data(types[0], c1 * h * w * c0), d.data(types[1], c1 * kh * kw * cout * c0)
    saturate = saturation(d)
    shapes = ([c1, h, w, c0], [c1, kh, kw, cout, c0], [sh, sw], pad, [dh, dw])
    model = np.zeros(cm.up(win.ho * win.wo, 16) * cout * 4, np.uint8)
    image, filters = d.p.put('L1', types[0], fm), d.p.put('L1', types[1], weight)
    dst = d.p.tensor('L0C', types[2], len(model) // 4)
    how, bias, bias_dtype = '', None, None
    if d.flag():
        bias_dtype = 'int32' if types[2] == 'int32' else d.pick(['float32', 'float16'])
        values = d.data(bias_dtype, cout) if bias_dtype != 'int32' else d.r.integers(-2**31, 2**31, cout).astype(np.int32)
        bias = bytes_of(values)
        how = f', bias={d.p.put("L1", bias_dtype, values)}'
    cm.conv2d(model, bytes_of(fm), bytes_of(weight), types, *shapes, value, True, bias, bias_dtype, saturate)
    d.p.line(f't.conv2d({dst}, {image}, {filters}, {", ".join(map(str, shapes))}, {value!r}{how})')
    d.p.take(dst, 'L0C', types[2], model.tobytes(), columns=cout)


def high_types(d):
    return d.pick([('int8', 'int8', 'int32'), ('float16', 'float16', 'float32')])


def matmul(d):
    types = high_types(d)
    k0 = 32 // cm.SIZES[types[0]]
    m, n = d.pick([1, 16, d.n(1, 100), d.n(1, 40)]), d.pick([16, d.n(1, 70), d.n(1, 300)])
    k = d.pick([k0, d.n(1, 40), d.n(1, 150), d.n(200, 700)])
    init = d.flag()
    a = d.data(types[0], cm.up(m, 16) * cm.up(k, k0))
    b = d.data(types[1], cm.up(k, k0) * cm.up(n, 16))
    start = prefill(d, types, m, n)
    saturate = saturation(d)
    model = bytes_of(start)
    cm.matmul(model, bytes_of(a), bytes_of(b), types, m, k, n, init, saturate=saturate)
    left, right, dst = d.p.put('L1', types[0], a), d.p.put('L1', types[1], b), d.p.put('L0C', types[2], start)
    d.p.line(f't.matmul({dst}, {left}, {right}, {m}, {k}, {n}, {init})')
    d.p.take(dst, 'L0C', types[2], model.tobytes())


def geometry(d, most=9, outside=False):
    """(h, w, pad, stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h); outside: the kernel may be larger than the
    padded image."""
    while True:
        g = (d.n(1, most), d.n(1, most), [d.n(0, 3) for _ in range(4)], d.n(1, 3), d.n(1, 3), d.n(1, 4), d.n(1, 4),
             d.pick([1, 1, 2, 3]), d.pick([1, 1, 2, 3]))
        win = cm.Windows(*g)
        if win.fits or outside:
            return g, win


def number(d, dtype):
    if dtype == 'float32':
        return float(np.float32(d.pick([0.0, -1.5, 0.1, 3e38])))
    if dtype == 'float16':
        return float(np.float16(d.pick([0.0, -1.5, 0.1, 65504.0, 3.0])))
    info = np.iinfo(cm.NUMPY[dtype])
    return d.pick([0, 1, info.min, info.max, d.n(info.min, info.max)])


def conv2d(d):
    types = high_types(d)
    c0 = 4 if d.n(0, 3) == 0 else 32 // cm.SIZES[types[0]]
    (h, w, pad, sw, sh, kw, kh, dw, dh), win = geometry(d)
    c1, cout = d.pick([1, 1, 2, 3]), d.pick([16, 16, 32, 48])
    init, value = d.flag(), number(d, types[0])
    fm, weight = d.data(types[0], c1 * h * w * c0), d.data(types[1], c1 * kh * kw * cout * c0)
    start = prefill(d, types, win.ho * win.wo, cout)
    saturate = saturation(d)
    shapes = ([c1, h, w, c0], [c1, kh, kw, cout, c0], [sh, sw], pad, [dh, dw])
    model = bytes_of(start)
    cm.conv2d(model, bytes_of(fm), bytes_of(weight), types, *shapes, value, init, saturate=saturate)
    image, filters = d.p.put('L1', types[0], fm), d.p.put('L1', types[1], weight)
    dst = d.p.put('L0C', types[2], start)
    d.p.line(f't.conv2d({dst}, {image}, {filters}, {", ".join(map(str, shapes))}, {value!r}, {init})')
    d.p.take(dst, 'L0C', types[2], model.tobytes())


# ---- loads ---------------------------------------------------------------------------------------------------


# Types whose elements in L0A and L0B the processor can multiply, and those that go to L1 only here.
FACTORS = {'Ascend610Lite': ['int8', 'float16', 'int16', 'uint16'],
           'Ascend910B1': ['int8', 'uint8', 'float16', 'bfloat16', 'float32'],
           'Ascend310B1': ['int8', 'float16', 'float32']}


def load2d(d):
    old = d.p.processor in OLD
    scope = d.pick(['L0A', 'L0B', 'L1'])
    dtype = d.pick(FACTORS.get(d.p.processor, ['int8', 'uint8', 'float16']) + ['float16', 'int16', 'uint16'])
    gm = scope == 'L1' or d.n(0, 3) == 0
    transpose = not gm and cm.SIZES[dtype] == 2 and d.flag()
    dec = d.p.processor not in ('Ascend310', 'Ascend310B1') and d.n(0, 2) == 0
    repeat, gap, stride = d.n(1, 5), 0 if old else d.pick([0, 0, 1, 2]), d.n(0, 3)
    index = d.n(0, 4) + ((repeat - 1) * stride if dec else 0)
    last = index + (0 if dec else (repeat - 1) * stride)
    per = 512 // cm.SIZES[dtype]
    src = d.data(dtype, (last + 1 + d.n(0, 1)) * per, sane=scope != 'L1')
    fractals = (repeat - 1) * (gap + 1) + 1 + d.n(0, 1)
    before = d.data(dtype, fractals * per, sane=scope != 'L1')
    model = bytes_of(before)
    cm.load2d(model, bytes_of(src), index, repeat, gap, stride, transpose, dec)
    dst = d.p.put(scope, dtype, before)
    if gm:
        at = d.p.source_of(bytes_of(src), dtype)
        source = f'in_{dtype}[{at}]'
    else:
        source = d.p.put('L1', dtype, src)
    numbers = (d.num(index, repeat, stride) if old else d.num(index, repeat, gap, stride)) + ', 0'
    mode = d.pick(['"dec"', '1']) if dec else d.pick(['"inc"', '0', 'None'])
    d.call(f't.load2d{"v1" if old else "v2"}({dst}, {source}, {numbers}, {transpose}, {mode})')
    d.p.take(dst, scope, dtype, model.tobytes())


def load2d_square(d):
    """load_data_with_transpose; 16-bit elements are load2dv2's."""
    dtype = d.pick(['int8', 'float32', 'int32', 'uint32'] + ['uint8'] * (d.p.processor == 'Ascend910B1'))
    scope = d.pick(['L0A', 'L0B'])
    dec = d.p.processor == 'Ascend910B1' and d.n(0, 2) == 0
    repeat, stride = d.n(1, 4), d.n(0, 3)
    while True:
        gap, frac = d.n(0, 4), d.n(0, 7)
        if (frac + 1) % (gap + 1) or (frac + 1) // (gap + 1) >= repeat:
            break
    index = d.n(0, 3) + ((repeat - 1) * stride if dec else 0)
    last = index + (0 if dec else (repeat - 1) * stride)
    per = 512 // cm.SIZES[dtype]
    src = d.data(dtype, (last + 1) * 2 * per, sane=True)
    before = d.data(dtype, ((repeat - 1) * (gap + 1) + frac + 2 + d.n(0, 1)) * per, sane=True)
    model = bytes_of(before)
    cm.load2d_square(model, bytes_of(src), dtype, index, repeat, gap, frac, stride, dec)
    dst, source = d.p.put(scope, dtype, before), d.p.put('L1', dtype, src)
    d.call(f't.load_data_with_transpose({dst}, {source}, tik.LoadData2dTransposeParams('
           f'{d.num(index, repeat, stride, gap, frac)}, {int(dec)}))')
    d.p.take(dst, scope, dtype, model.tobytes())


def load2dv3(d):
    dtype = d.pick(['int8', 'float16', 'int16', 'uint16'])
    scope = d.pick(['L0A', 'L0B'])
    transpose = dtype != 'int8' and d.flag()
    m0, k0, m, k = d.n(0, 3), d.n(0, 3), d.pick([0, d.n(1, 4), d.n(1, 4)]), d.pick([0, d.n(1, 4), d.n(1, 4)])
    from_stride, to_stride = d.n(0, 5), d.n(0, 5)
    per = 512 // cm.SIZES[dtype]
    src = d.data(dtype, ((k0 + max(k, 1) - 1) * from_stride + m0 + max(m, 1)) * per, True)
    before = d.data(dtype, ((max(k, 1) - 1) * to_stride + max(m, 1)) * per, True)
    model = bytes_of(before)
    cm.load2d_box(model, bytes_of(src), m0, k0, from_stride, to_stride, m, k, transpose)
    dst, source = d.p.put(scope, dtype, before), d.p.put('L1', dtype, src)
    d.call(f't.load2dv3({dst}, {source}, {d.num(m0, k0, from_stride, to_stride, m, k)}, {transpose})')
    d.p.take(dst, scope, dtype, model.tobytes())


def image(d, dtype, groups, win, sane):
    return d.data(dtype, groups * win.h * win.w * (32 // cm.SIZES[dtype]), sane)


def load3dv1(d):
    dtype = d.pick(['int8', 'uint8', 'float16'])
    scope = d.pick(['UB', 'UB', 'L0A', 'L0B'])
    g, win = geometry(d, 9, outside=d.n(0, 3) == 0)
    mode, repeat, jump = d.n(0, 1), d.n(1, 6), d.pick([1, 1, 2, 3])
    c1, fw, fh = d.n(0, 2), d.n(0, win.kw - 1), d.n(0, win.kh - 1)
    left = d.n(0, win.wo - 1) * win.sw - win.pad[0]
    top = d.n(0, win.ho - 1) * win.sh - win.pad[2]
    point = (c1 * win.kh + fh) * win.kw + fw + (0 if mode else repeat - 1)
    value = 2 if scope != 'UB' else number(d, dtype)
    src = image(d, dtype, point // (win.kw * win.kh) + 1, win, scope != 'UB')
    before = d.data(dtype, ((repeat - 1) * jump + 1) * 512 // cm.SIZES[dtype], scope != 'UB')
    model = bytes_of(before)
    cm.load3dv1(model, bytes_of(src), dtype, win, c1, fw, fh, left, top, jump, mode, repeat, value)
    dst, source = d.p.put(scope, dtype, before), d.p.put('L1', dtype, src)
    d.call(f't.load3dv1({dst}, {source}, {g[2]}, {d.num(g[0], g[1], c1, fw, fh, left, top)}, '
           f'{d.num(*g[3:])}, {jump}, {mode}, {d.num(repeat)}, 0, {value!r})')
    d.p.take(dst, scope, dtype, model.tobytes())


def load3dv1_few(d):
    """_csize 1: images of 4 channels."""
    scope = d.pick(['UB', 'UB', 'L0A', 'L0B'])
    g, win = geometry(d, 9, outside=d.n(0, 3) == 0)
    mode, repeat, jump = d.n(0, 1), d.n(1, 6), d.pick([1, 1, 2, 3])
    fw, fh = d.n(0, win.kw - 1), d.n(0, win.kh - 1)
    left = d.n(0, win.wo - 1) * win.sw - win.pad[0]
    top = d.n(0, win.ho - 1) * win.sh - win.pad[2]
    value = 2 if scope != 'UB' else number(d, 'float16')
    src = d.data('float16', cm.up(win.h * win.w * 4, 16), scope != 'UB')
    before = d.data('float16', ((repeat - 1) * jump + 1) * 256, scope != 'UB')
    model = bytes_of(before)
    cm.load3dv1_few(model, bytes_of(src), 'float16', win, fw, fh, left, top, jump, mode, repeat, value)
    dst, source = d.p.put(scope, 'float16', before), d.p.put('L1', 'float16', src)
    d.p.line(f't.load3dv1({dst}, {source}, {g[2]}, {g[0]}, {g[1]}, 0, {fw}, {fh}, {left}, {top}, '
             f'{", ".join(map(str, g[3:]))}, {jump}, {mode}, {repeat}, 1, {value!r})')
    d.p.take(dst, scope, 'float16', model.tobytes())


def load3dv2(d):
    dtype = d.pick(FACTORS.get(d.p.processor, ['int8', 'uint8', 'float16', 'float16']) + ['float16'])
    size = cm.SIZES[dtype]
    c0 = 32 // size
    scope = d.pick(['L0A'] + ['L0B'] * (size == 2) + ['UB'] * (d.p.processor in NEW))
    transpose = size == 2 and scope == 'L0A' and d.flag()
    g, win = geometry(d, 9, outside=d.n(0, 3) == 0)
    channels = d.n(0, 2) * c0 + d.pick([c0, c0, 4, 4 if size == 4 else 8])
    groups = -(-channels // c0)
    rows, columns = win.ho * win.wo, groups * win.kh * win.kw
    m0, k0 = d.n(0, (rows - 1) // 16), d.n(0, columns - 1)
    m = rows - m0 * 16 if d.flag() else 16 * d.n(0, (rows - m0 * 16) // 16)
    m = m or rows - m0 * 16
    m = min(m, rows - m0 * 16 if (rows - m0 * 16) <= 64 else 64)
    k = min(d.n(1, columns - k0), 6)
    value = number(d, dtype) if scope == 'UB' else 16384 if dtype in ('int16', 'uint16') else 2   # 2.0 as a half
    src = image(d, dtype, groups, win, scope != 'UB')
    model = np.zeros(-(-m // 16) * k * 512, np.uint8)
    cm.load3dv2(model, bytes_of(src), dtype, win, channels, k * c0, m, k0 * c0, m0 * 16, scope, transpose, value)
    dst, source = d.p.tensor(scope, dtype, len(model) // size), d.p.put('L1', dtype, src)
    d.call(f't.load3dv2({dst}, {source}, {g[2]}, {d.num(g[0], g[1], channels, k * c0, m, k0 * c0, m0 * 16)}, '
           f'{d.num(*g[3:])}, {transpose}, False, {value!r})')
    d.p.take(dst, scope, dtype, model.tobytes())


def col2img(d):
    dtype = d.pick(['float16', 'float32'])
    g, win = geometry(d, 9, outside=d.n(0, 3) == 0)
    repeat, fw, fh = d.n(1, 5), d.n(0, win.kw - 1), d.n(0, win.kh - 1)
    left = d.n(0, win.wo - 1) * win.sw - win.pad[0]
    top = d.n(0, win.ho - 1) * win.sh - win.pad[2]
    before, src = d.data(dtype, win.h * win.w * 16), d.data(dtype, repeat * 256)
    model = bytes_of(before)
    cm.col2img(model, bytes_of(src), dtype, win, fw, fh, left, top, repeat)
    dst, source = d.p.put('UB', dtype, before), d.p.put('UB', dtype, src)
    d.call(f't.col2img({dst}, {source}, {g[2]}, {d.num(g[0], g[1], fw, fh, left, top)}, '
           f'{d.num(*g[3:], repeat)})')
    d.p.take(dst, 'UB', dtype, model.tobytes())


KINDS = {'mmad-fixpipe': (mmad_fixpipe, list(BIASED)), 'matmul-fixpipe': (matmul_fixpipe, list(WIDE)),
         'conv2d-fixpipe': (conv2d_fixpipe, list(WIDE)),
         'mmad': (mmad, OLD + NEW), 'matmul': (matmul, OLD + NEW), 'conv2d': (conv2d, OLD + NEW),
         'load2d': (load2d, OLD + NEW + list(WIDE)), 'load2d-square': (load2d_square, list(WIDE)),
         'load2dv3': (load2dv3, ['Ascend610Lite']), 'load3dv1': (load3dv1, OLD + NEW),
         'load3dv1-few': (load3dv1_few, OLD + NEW), 'load3dv2': (load3dv2, NEW + list(BIASED)),
         'col2img': (col2img, ['Ascend910A'] + NEW)}


# ---- running -------------------------------------------------------------------------------------------------


def program(kind, seeds):
    fn, processors = KINDS[kind]
    p = Program(processors[seeds[0] // CALLS % len(processors)])
    for seed in seeds:
        p.begin(f'cube_random.py {kind} {seed}')
        fn(Draw(p, seed))
    return p


def run(p):
    r = subprocess.run([os.path.join(BUILD, 'tools/diffrun')], input=p.encode(0), stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    got = results(r.stdout).get(0, ('crash', r.stderr.decode(errors='replace')[-2000:], {}))
    if got[0] != 'ok':
        return [(p.instance, f'{got[0]} {got[1]}')]
    return p.blame(got[2])


def check(work):
    kind, seeds = work
    bad = run(program(kind, seeds))
    if bad and len(seeds) > 1 and ' ok' not in bad[0][1] and bad[0][0] == f'cube_random.py {kind} {seeds[-1]}':
        alone = [b for s in seeds for b in run(single(kind, s))]
        bad = alone or bad
    return len(seeds) - min(len(bad), len(seeds)), bad


def single(kind, seed):
    fn, processors = KINDS[kind]
    p = Program(processors[seed // CALLS % len(processors)])
    p.begin(f'cube_random.py {kind} {seed}')
    fn(Draw(p, seed))
    return p


def main():
    if len(sys.argv) == 3 and sys.argv[1] in KINDS:
        p = single(sys.argv[1], int(sys.argv[2]))
        print(p.processor)
        print(p.source())
        bad = run(p)
        print('\n'.join(t for _, t in bad) or 'equal')
        return 1 if bad else 0
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    a = ap.parse_args()
    kinds = [k for k in KINDS if a.match in k]
    each = max(int(os.environ.get('TIKC_CUBES', '400')) // max(len(kinds), 1), CALLS)
    first = int(os.environ.get('TIKC_SEED', '1')) * 1000000
    work = [(k, list(range(s, s + CALLS))) for s in range(first, first + each, CALLS) for k in kinds]
    passed, bad = 0, []
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for ok, wrong in pool.map(check, work):
            passed += ok
            bad += wrong
    print('\n'.join(f'{who}\n    {text}' for who, text in bad[:20]))
    print(f'{passed} passed, {len(bad)} failed')
    return 1 if bad or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
