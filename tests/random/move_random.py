#!/usr/bin/python3
"""Random moves that pad, change the layout or repeat what they move, and random atomic writes, a few in one
program, on native code at two optimisation levels, on the emulator and on the numpy model (move_model): every
byte of every destination. Numbers are constants or Scalars that the kernel loads.

TIKC_MOVES sets the number of moves (400), TIKC_SEED the first seed (1). Each failure prints a command that runs
its move alone. Ends with 'N passed, N failed'.
usage: move_random.py [--match TEXT]
       move_random.py KIND SEED        one move: prints its program and what differs"""
import argparse
import concurrent.futures
import os
import random
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD  # noqa
from differential import results  # noqa: E402
from move_model import METHODS, MODES, SIZES, State  # noqa: E402
from operand import Names, Operands  # noqa: E402
from ref_model import Ref  # noqa: E402

TOGETHER = 8     # moves of a program
BLOCK = 32
SCOPES = {'GM': 'scope_gm', 'UB': 'scope_ubuf', 'L1': 'scope_cbuf', 'L0C': 'scope_cc'}
WIDE = ('uint8', 'int8', 'uint16', 'int16', 'float16', 'int32', 'float32', 'uint32')
ON_910B = WIDE + ('bfloat16',)
ADDS = {'Ascend910A': (1,), 'Ascend310P3': (1, 2, 3), 'Ascend610Lite': (1, 2, 3), 'Ascend310B1': (1, 2, 3, 4),
        'Ascend910B1': (1, 2, 3, 4, 5, 6)}


def up(n, unit):
    return -(-n // unit) * unit


class Buffer:
    def __init__(self, name, scope, dtype, data):
        self.name, self.scope, self.dtype, self.data = name, scope, dtype, data


class Move:
    """One move with its tensors: src and dst are filled from a.. and b.., dst ends up in c.. (global memory)."""

    def __init__(self, kind, seed):
        self.kind, self.seed = kind, seed
        self.rnd = random.Random(f'{kind} {seed}')
        self.calls = []      # (method, operands)
        self.processor = None
        KINDS[kind](self)

    # ---- drawing

    def bytes(self, n, dtype):
        """Contents: of floats a share of special numbers."""
        raw = np.frombuffer(self.rnd.randbytes(up(n, BLOCK)), np.uint8).copy()
        if 'float' in dtype and self.rnd.random() < 0.5:
            odd = {'float16': (0x7e00, 0x7c00, 0xfc00, 0x8000, 0, 0x7bff, 0xfbff, 1, 0x8001),
                   'bfloat16': (0x7fc0, 0x7f80, 0xff80, 0x8000, 0, 0x7f7f, 0xff7f, 1),
                   'float32': (0x7fc00000, 0x7f800000, 0xff800000, 1 << 31, 0, 0x7f7fffff, 1)}[dtype]
            words = raw.view(f'<u{SIZES[dtype]}')
            for k in range(len(words)):
                if self.rnd.random() < 0.3:
                    words[k] = self.rnd.choice(odd)
        return raw

    def tensors(self, dtype, src_scope, src_bytes, dst_scope, dst_bytes, dst_dtype=None):
        dst_dtype = dst_dtype or dtype
        unit = {s: 256 * SIZES[dst_dtype] if s == 'L0C' else BLOCK for s in SCOPES}
        self.src = Buffer('s', src_scope, dtype, self.bytes(up(src_bytes, unit[src_scope]), dtype))
        self.dst = Buffer('d', dst_scope, dst_dtype, self.bytes(up(dst_bytes, unit[dst_scope]), dst_dtype))

    def add(self, method, **operands):
        operands.update(scope_dst=self.dst.scope, scope_src=self.src.scope)
        self.calls.append((method, operands))

    def at(self, which, elements):
        b = self.src if which == 'src' else self.dst
        return Ref(b.name, elements * SIZES[b.dtype], b.dtype)

    def fill(self, raw):
        """Of a fill: only dst counts."""
        self.dst = raw

    # ---- as a program

    def lines(self, k, numbers, fresh):
        if self.kind == 'cores':
            return self.core_lines()
        out = []
        names = {'s': f's{k}', 'd': f'd{k}'}

        def tensor(name, b, scope):
            n = len(b.data) // SIZES[b.dtype]
            out.append(f'{name} = t.Tensor("{b.dtype}", ({n},), name="{name}", scope=tik.{SCOPES[scope]})')

        def copy(dst, src, b, unit=BLOCK):
            out.append(f't.data_move({dst}, {src}, 0, 1, {len(b.data) // unit}, 0, 0)')

        def load(b, local, image):
            """Contents from global memory to where they belong."""
            tensor(local, b, b.scope)
            if b.scope == 'L0C':
                tensor(local + 'u', b, 'UB')
                copy(local + 'u', image, b)
                copy(local, local + 'u', b, 256 * SIZES[b.dtype])
            else:
                copy(local, image, b)

        tensor(f'a{k}', self.src, 'GM')
        tensor(f'b{k}', self.dst, 'GM')
        tensor(f'c{k}', self.dst, 'GM')
        if self.src.scope == 'GM':
            names['s'] = f'a{k}'
        else:
            load(self.src, f's{k}', f'a{k}')
        if self.dst.scope == 'GM':
            names['d'] = f'c{k}'
            tensor(f'd{k}', self.dst, 'UB')
            copy(f'd{k}', f'b{k}', self.dst)
            copy(f'c{k}', f'd{k}', self.dst)
        else:
            load(self.dst, f'd{k}', f'b{k}')
        for method, o in self.calls:
            out += call_lines(method, o, names, Operands(self.rnd, late_of(numbers), fresh))
        if self.dst.scope == 'L0C':
            copy(f'd{k}u', f'd{k}', self.dst, 256 * SIZES[self.dst.dtype])
            copy(f'c{k}', f'd{k}u', self.dst)
        elif self.dst.scope == 'L1' and self.processor != 'Ascend910B1':
            tensor(f'd{k}u', self.dst, 'UB')
            copy(f'd{k}u', f'd{k}', self.dst)
            copy(f'c{k}', f'd{k}u', self.dst)
        elif self.dst.scope != 'GM':
            copy(f'c{k}', f'd{k}', self.dst)
        return out

    def core_lines(self):
        """Every core writes its row of src, at places of dst that others write too; dst is 0 at first."""
        o = self.calls[0][1]
        n, row = len(self.dst.data) // SIZES[self.dst.dtype], o['row']
        lines = [f'{x} = t.Tensor("{self.dst.dtype}", ({m},), name="{x}", scope=tik.scope_gm)'
                 for x, m in (('a0', o['cores'] * row), ('b0', n), ('c0', n))]
        lines += [f'with t.for_range(0, {o["cores"]}, block_num={o["cores"]}) as i:',
                  f'    u = t.Tensor("{self.dst.dtype}", ({row},), name="u", scope=tik.scope_ubuf)',
                  f'    t.data_move(u, a0[i * {row}], 0, 1, {o["burst"]}, 0, 0)',
                  f'    t.{o["setter"]}({o["mode"]})',
                  f'    t.data_move(c0[i * {o["step"]}], u, 0, 1, {o["burst"]}, 0, 0)']
        if o['again']:
            lines.append(f'    t.data_move_pad(c0[{o["again"]}], u, 1, {o["bytes"]}, 0, 0)')
        return lines + ['    t.set_atomic_none()']

    def expected(self):
        mem = {'s': self.src.data.copy(), 'd': self.dst.data.copy()}
        m = State()
        for method, o in self.calls:
            METHODS[method](m, mem, o)
        return mem['d'].tobytes()


def late_of(numbers):
    """How a number that only the run knows is spelt: an element of the Scalars n."""
    def late(v):
        numbers.append(v)
        return f'n[{len(numbers) - 1}]'
    return late


def value_text(o, key):
    """A padding value: a float for a float type, else an int; out of the pattern."""
    dtype, v = o['dst'].dtype, int(o[key])
    size = SIZES[dtype]
    if 'float' not in dtype:
        return str(v - (1 << 8 * size) if dtype[0] == 'i' and v >> 8 * size - 1 else v)
    if dtype == 'bfloat16':
        return repr(float(np.uint32(v << 16).view(np.float32)))
    return repr(float(np.array([v], f'<u{size}').view(dtype)[0]))


# Operands in call order; a * marks compile-time ones.
CALLS = {
    'data_move': ('dst', 'src', '*sid', 'nburst', 'burst', 'src_stride', 'dst_stride'),
    'data_move_pad': ('dst', 'src', 'nburst', 'burst', 'dst_gap', 'src_gap'),
    'data_move_multi_nd2nz': ('dst', 'src', 'nd_num', 'nd_n', 'nd_d', 'src_nd_stride', 'src_n_stride', 'dst_c0_stride',
                              'dst_n_stride', 'dst_nd_stride'),
    'broadcast_ub_to_l0c': ('dst', 'src', 'nburst', 'burst_len', 'src_gap', 'dst_gap'),
    'mmad_broadcast': ('dst', 'src', '*repeat_mode', 'nburst', 'burst_repeat', 'dst_gap', 'src_gap'),
    'tensor_padding_with_matrix': ('dst', 'repeat_times', 'value'),
    'vbcb': ('dst', 'src', 'repeat_times', 'dst_blk_stride', 'dst_rep_stride'),
    'vcopy': ('*mask', 'dst', 'src', 'repeat_times', 'dst_blk_stride', 'src_blk_stride', 'dst_rep_stride',
              'src_rep_stride'),
    'init_const_value': ('dst', 'repeat_times', 'block_num', 'dst_gap', 'value'),
}
NZ2ND = ('nd_num', 'n_value', 'd_value', 'src_nd_matrix_stride', 'src_n_stride', 'dst_d_stride',
         'dst_nd_matrix_stride')


def call_lines(method, o, names, ops):
    """The call, with the Scalars and loops that its numbers need."""
    return ops.around(*call_text(method, o, names, ops).split('\n'))


def call_text(method, o, names, ops):
    def text(p):
        v = o[p.lstrip('*')]
        if isinstance(v, Ref):
            return f'{names[v.buffer]}[{v.offset // SIZES[v.dtype]}]'
        if p == 'value':
            return value_text(o, p)
        return str(v) if p[0] == '*' else ops.number(v)

    if method.startswith('set_atomic'):
        if 'mode' not in o:
            return f't.{method}()'
        by_name = o['mode'] in MODES and ops.rnd.random() < 0.3
        return f't.{method}({repr(MODES[o["mode"]]) if by_name else ops.number(o["mode"])})'
    if method == 'set_pad_value':
        return f't.set_pad_value({value_text(o, "value")}, "{o["dtype"]}")'
    if method == 'data_move_pad' and o['fill'] == 2:
        copied = ', '.join(ops.number(o[p]) for p in ('nburst', 'burst', 'src_gap', 'dst_gap'))
        return f't.data_copy_pad({text("dst")}, {text("src")}, tik.DataCopyExtParams({copied}), tik.DataCopyPadExtParams())'
    if method == 'segments':
        sides = [f'[tik.SliceInfo({o[p][0]}, {o[p][0] + o["n"] * o["seg"] + (o["n"] - 1) * o[p][1] - 1}, {o[p][1]}, '
                 f'{o["burst"]}, {o[p][2]})]' for p in ('to', 'from_')]
        return f't.data_copy({names["d"]}, {names["s"]}, {", ".join(sides)}, 1)'
    if method == 'acc_out':
        length, name = o['length'], names['d'] + 'l'
        return (f'{name} = t.Tensor("{o["dst"].dtype}", ({length * 256},), name="{name}", scope=tik.scope_cc)\n'
                f't.mmad_broadcast({name}, {names["s"]}, 0, 1, {length}, 0, 0)\n'
                f't.tensor_mov({names["d"]}, {name}, "m", 1, {length}, 0, 0)')
    if method == 'data_copy':
        # matrices in order of Nz2NdParamsFull
        given = ', '.join(text(p) for p in NZ2ND)
        return f't.data_copy({text("dst")}, {text("src")}, tik.Nz2NdParamsFull({given}))'
    args = [text(p) for p in CALLS[method]]
    if method == 'data_move_pad' and o['fill'] == 1:
        args += [f'{p}={ops.number(o[p])}' for p in ('right_padding', 'left_padding')]
        args.append(f'padding_value={value_text(o, "padding_value")}')
    return f't.{method}({", ".join(args)})'


# ---- kinds ------------------------------------------------------------------------------------------------------


def pad_in(m):
    r = m.rnd
    m.processor = r.choice(('Ascend910B1', 'Ascend310B1', 'Ascend610Lite'))
    t = r.choice(ON_910B if m.processor == 'Ascend910B1' else WIDE)
    size = SIZES[t]
    to = 'L1' if m.processor == 'Ascend610Lite' and r.random() < 0.3 else 'UB'
    fill = int(r.random() < 0.6)
    left, right = (r.randrange(32 // size + 1), r.randrange(32 // size + 1)) if fill else (0, 0)
    fill = int(left + right > 0)
    burst = size * r.randint(1, 100) if fill else r.randint(1, 300)
    n, src_gap, dst_gap = r.randint(1, 6), r.randrange(70), r.randrange(4)
    whole = up(burst + (left + right) * size, BLOCK)
    d, s = r.randrange(3) * 32 // size, r.randrange(40)
    m.tensors(t, 'GM', s * size + n * burst + (n - 1) * src_gap, to,
              d * size + n * whole + (n - 1) * dst_gap * BLOCK + 64)
    m.add('data_move_pad', dst=m.at('dst', d), src=m.at('src', s), nburst=n, burst=burst, dst_gap=dst_gap,
          src_gap=src_gap, right_padding=right, left_padding=left, fill=fill,
          padding_value=r.randrange(1 << 8 * size) if 'float' not in t else
          {'float16': 0xbc00, 'bfloat16': 0x3fc0, 'float32': 0x42280000}[t])


def pad_register(m):
    """data_copy_pad without is_pad: blocks are filled by the register, of 64-bit elements too."""
    r = m.rnd
    m.processor = r.choice(('Ascend910B1', 'Ascend310B1'))
    t = r.choice(WIDE + ('int64', 'uint64'))
    size = SIZES[t]
    n, burst, src_gap, dst_gap = r.randint(1, 5), r.randint(1, 200), r.randrange(70), r.randrange(3)
    m.tensors(t, 'GM', n * (burst + src_gap), 'UB', n * (up(burst, BLOCK) + dst_gap * BLOCK))
    value = {'float16': 0xbc00, 'float32': 0x42280000}.get(t, r.randrange(1 << 8 * size - 1))
    m.add('set_pad_value', dst=m.at('dst', 0), value=value, dtype=t)
    m.add('data_move_pad', dst=m.at('dst', 0), src=m.at('src', 0), nburst=n, burst=burst, dst_gap=dst_gap,
          src_gap=src_gap, fill=2)


def mode_call(m, t):
    """Sets a mode that the processor has for the element type; now and then none."""
    mode = [k for k, name in MODES.items() if name == t]
    if mode and mode[0] in ADDS[m.processor] and m.rnd.random() < 0.85:
        ops = ('add', 'max', 'min') if m.processor == 'Ascend910B1' else ('add',)
        m.add('set_atomic_' + m.rnd.choice(ops), mode=mode[0])
        return True
    m.add('set_atomic_none')
    return False


def atomic_types(processor):
    return [MODES[k] for k in ADDS[processor]]


def pad_out(m):
    r = m.rnd
    m.processor = r.choice(('Ascend910B1', 'Ascend310B1', 'Ascend610Lite'))
    atomic = r.random() < 0.4
    t = r.choice(atomic_types(m.processor) if atomic else ON_910B if m.processor == 'Ascend910B1' else WIDE)
    size = SIZES[t]
    n, dst_gap, src_gap = r.randint(1, 6), r.randrange(50), r.randrange(3)
    burst = r.randint(1, 80) * size if atomic else r.randint(1, 300)
    d, s = r.randrange(40), r.randrange(3) * 32 // size
    pitch = up(burst, BLOCK) + src_gap * BLOCK
    m.tensors(t, 'UB', s * size + n * pitch, 'GM', d * size + n * burst + (n - 1) * dst_gap)
    for _ in range(r.randint(1, 2)):
        if atomic:
            mode_call(m, t)
        m.add('data_move_pad', dst=m.at('dst', d), src=m.at('src', s), nburst=n, burst=burst, dst_gap=dst_gap,
              src_gap=src_gap, fill=0)
    if atomic:
        m.add('set_atomic_none')


def disjoint(places, length):
    at = sorted(places)
    return all(b - a >= length for a, b in zip(at, at[1:]))


def nd2nz(m):
    r = m.rnd
    m.processor = 'Ascend910B1'
    t = r.choice(ON_910B)
    size = SIZES[t]
    c0 = 32 // size
    num, n, d = r.choice((0, 1, 1, 2, 3)), r.randint(1, 12), r.randint(1, 5 * c0)
    groups = up(d, c0) // c0
    while True:
        cs, ns = r.choice(((n, 1), (n + r.randrange(3), 1), (1, groups), (r.randint(1, 40), r.randint(1, 9))))
        ds = r.randint(1, 60) * c0 if num > 1 else r.randint(1, 500)
        places = [(i * ds // c0 + c * cs + k * ns) for i in range(num) for c in range(groups) for k in range(n)]
        if disjoint(places, 1):
            break
    src_n, src_nd = r.randint(1, 2 * d), r.randrange(300)
    at_d, at_s = r.randrange(3) * c0, r.randrange(20)
    last = max(places) if places else 0
    m.tensors(t, 'GM', (at_s + max(num - 1, 0) * src_nd + (n - 1) * src_n + d) * size, 'L1',
              at_d * size + (last + 1) * BLOCK + 64)
    m.add('data_move_multi_nd2nz', dst=m.at('dst', at_d), src=m.at('src', at_s), nd_num=num, nd_n=n, nd_d=d,
          src_nd_stride=src_nd, src_n_stride=src_n, dst_c0_stride=cs, dst_n_stride=ns, dst_nd_stride=ds)


def nz2nd(m):
    r = m.rnd
    m.processor = r.choice(('Ascend910B1', 'Ascend310P3', 'Ascend310B1'))
    t = r.choice(('uint16', 'int16', 'float16', 'uint32', 'int32', 'float32'))
    size = SIZES[t]
    num, n, d = r.randint(1, 3), r.randint(1, 20), 16 * r.randint(1, 4)
    while True:
        row, matrix = r.choice((d, d + r.randrange(40))), r.choice((n * d, r.randint(1, 4000)))
        if disjoint([i * matrix + k * row for i in range(num) for k in range(n)], d):
            break
    src_nd, src_n = r.randint(1, 6), r.randrange(30)
    s = r.randrange(3) * 32 // size
    at = r.randrange(30)
    m.tensors(t, 'UB', s * size + ((num - 1) * src_nd * 256 + (d // 16 - 1) * src_n * 16 + n * 16) * size, 'GM',
              (at + (num - 1) * matrix + (n - 1) * row + d) * size)
    atomic = t in atomic_types(m.processor) and r.random() < 0.3 and mode_call(m, t)
    m.add('data_copy', dst=m.at('dst', at), src=m.at('src', s), nd_num=num, n_value=n, d_value=d,
          src_nd_matrix_stride=src_nd, src_n_stride=src_n, dst_d_stride=row, dst_nd_matrix_stride=matrix)
    if atomic:
        m.add('set_atomic_none')


def broadcast(m):
    r = m.rnd
    m.processor = r.choice(('Ascend310P3', 'Ascend910A'))
    t = r.choice(('float16', 'float32', 'int32'))
    size = SIZES[t]
    n, length, src_gap, dst_gap = r.randint(1, 3), r.randint(1, 3), r.randrange(4), r.randrange(3)
    m.tensors(t, 'UB', n * (length * 16 * size + src_gap * BLOCK), 'L0C', n * (length + dst_gap) * 256 * size)
    m.add('broadcast_ub_to_l0c', dst=m.at('dst', 0), src=m.at('src', 0), nburst=n, burst_len=length, src_gap=src_gap,
          dst_gap=dst_gap)


def mmad_broadcast(m):
    r = m.rnd
    m.processor = r.choice(('Ascend310P3', 'Ascend910A'))
    src, dst = r.choice((('float16', 'float16'), ('float32', 'float32'), ('int32', 'int32'), ('float32', 'float16'),
                         ('float16', 'float32')))
    n, repeat, mode = r.randint(0, 3), r.randint(0, 3), r.randrange(2)
    src_gap, dst_gap = r.randrange(4), r.randrange(3)
    bursts, fractals = max(n, 1), max(repeat, 1)
    where = 'L1' if m.processor == 'Ascend310P3' and r.random() < 0.3 else 'UB'
    m.tensors(src, where, bursts * (fractals * 16 * SIZES[src] + src_gap * BLOCK), 'L0C',
              bursts * (fractals + dst_gap) * 256 * SIZES[dst], dst)
    m.add('mmad_broadcast', dst=m.at('dst', 0), src=m.at('src', 0), repeat_mode=mode, nburst=n, burst_repeat=repeat,
          dst_gap=dst_gap, src_gap=src_gap)


def fills(m):
    r = m.rnd
    m.processor = r.choice(('Ascend910B1', 'Ascend310P3'))
    t = r.choice(('float16', 'int16', 'uint16'))
    value = r.choice((0x3c00, 0xc000, 0x0001, 0x7bff))
    n, at = r.randint(1, 4), r.randrange(3)
    blocks = m.processor == 'Ascend910B1' and r.random() < 0.6
    units, gap = (r.randint(0, 5), r.randrange(4)) if blocks else (16, 0)
    m.tensors(t, 'UB', 32, 'L1', at * 32 + n * (units + gap) * BLOCK + 32)
    if blocks:
        m.add('init_const_value', dst=m.at('dst', at * 16), repeat_times=r.choice((0, n)), block_num=units, dst_gap=gap,
              value=value)
    else:
        m.add('tensor_padding_with_matrix', dst=m.at('dst', at * 16), repeat_times=n, value=value)


def atomic(m):
    """A few moves to one place, in modes that change."""
    r = m.rnd
    m.processor = r.choice(sorted(ADDS))
    t = r.choice(atomic_types(m.processor))
    n, burst, ss, ds = r.randint(1, 4), r.randint(1, 6), r.randrange(3), r.randrange(3)
    s, d = r.randrange(2) * 32 // SIZES[t], r.randrange(50)
    m.tensors(t, 'UB', s * SIZES[t] + n * (burst + ss) * BLOCK, 'GM', d * SIZES[t] + n * (burst + ds) * BLOCK)
    for _ in range(r.randint(1, 3)):
        mode_call(m, t)
        m.add('data_move', dst=m.at('dst', d), src=m.at('src', s), sid=0, nburst=n, burst=burst, src_stride=ss,
              dst_stride=ds)
    m.add('set_atomic_none')


def segments(m):
    """Atomic writes of a slice."""
    r = m.rnd
    m.processor = r.choice(('Ascend910B1', 'Ascend310P3'))
    t = r.choice([x for x in atomic_types(m.processor)])
    size = SIZES[t]
    n, burst = r.randint(1, 4), r.randint(1, 3)
    seg = burst * 32 // size
    gaps = (r.randrange(3) * 32 // size, r.randrange(40) if n > 1 else 0)   # of src and dst
    starts = (r.randrange(3) * 32 // size, r.randrange(40))
    ends = [s + n * seg + (n - 1) * g for s, g in zip(starts, gaps)]
    m.tensors(t, 'UB', ends[0] * size, 'GM', ends[1] * size)
    mode_call(m, t)
    shapes = len(m.src.data) // size, len(m.dst.data) // size
    m.add('segments', dst=m.at('dst', 0), src=m.at('src', 0), n=n, seg=seg, burst=burst,
          from_=(starts[0], gaps[0], shapes[0]), to=(starts[1], gaps[1], shapes[1]))
    m.add('set_atomic_none')


def cores(m):
    """Atomic writes of many cores, on threads."""
    r = m.rnd
    m.processor = 'Ascend910B1'
    t = r.choice(atomic_types(m.processor))
    count, burst = r.randint(2, 24), r.randint(1, 40)
    row = burst * 32 // SIZES[t]
    step, again = r.choice((0, r.randrange(2 * row))), r.choice((0, 1 + r.randrange(row)))
    m.tensors(t, 'UB', count * burst * 32, 'GM', (count * step + 2 * row + 1) * SIZES[t])
    m.dst.data[:] = 0
    m.add('cores', dst=m.at('dst', 0), src=m.at('src', 0), cores=count, row=row, burst=burst, step=step, again=again,
          bytes=r.randint(1, row) * SIZES[t], setter='set_atomic_' + r.choice(('add', 'add', 'max', 'min')),
          mode=[k for k, name in MODES.items() if name == t][0])


def acc_out(m):
    """Atomic writes out of the accumulator."""
    r = m.rnd
    m.processor = 'Ascend910B1'
    t, length = r.choice(('float16', 'float32')), r.randint(1, 2)
    m.tensors(t, 'UB', length * 16 * SIZES[t], 'GM', length * 256 * SIZES[t])
    mode_call(m, t)
    m.add('acc_out', dst=m.at('dst', 0), src=m.at('src', 0), length=length)
    m.add('set_atomic_none')


def meeting(m):
    """A move inside of one tensor whose source and destination meet, burst by burst."""
    r = m.rnd
    m.processor = r.choice(('Ascend910A', 'Ascend310P3', 'Ascend910B1'))
    t = r.choice(('uint8', 'float16', 'int32'))
    per = 32 // SIZES[t]
    n, burst = r.choice((1, r.randint(2, 9))), r.randint(1, 24)
    ss, ds = (0, 0) if r.random() < 0.5 else (r.randrange(4), r.randrange(4))
    s, d = r.choice(((0, r.randint(1, n * burst)), (r.randint(1, n * burst), 0)))
    blocks = max(s + n * (burst + ss), d + n * (burst + ds))
    m.tensors(t, 'UB', 32, 'UB', blocks * BLOCK)
    m.add('data_move', dst=m.at('dst', d * per), src=m.at('dst', s * per), sid=0, nburst=n, burst=burst, src_stride=ss,
          dst_stride=ds)


KINDS = {'meeting': meeting, 'pad_register': pad_register, 'cores': cores, 'segments': segments, 'acc_out': acc_out, 'pad_in': pad_in, 'pad_out': pad_out, 'nd2nz': nd2nz, 'nz2nd': nz2nd, 'broadcast': broadcast,
         'mmad_broadcast': mmad_broadcast, 'fills': fills, 'atomic': atomic}


# ---- running ----------------------------------------------------------------------------------------------------


def program(moves):
    """(text, inputs) of moves on one processor."""
    numbers, body, ins, outs, data = [], [], [], [], {}
    fresh = Names()
    for k, m in enumerate(moves):
        body += m.lines(k, numbers, fresh)
        data[f'a{k}'], data[f'b{k}'] = m.src.data.tobytes(), m.dst.data.tobytes()
        ins += [f'a{k}', f'b{k}']
        outs.append(f'c{k}')
    head = ['from tbe import tik', 't = tik.Tik()']
    if numbers:
        n = up(len(numbers), 4)
        head += [f'numbers = t.Tensor("int64", ({n},), name="numbers", scope=tik.scope_gm)',
                 f'numbers_ub = t.Tensor("int64", ({n},), name="numbers_ub", scope=tik.scope_ubuf)',
                 f't.data_move(numbers_ub, numbers, 0, 1, {n // 4}, 0, 0)', 'n = []',
                 f'for i in range({len(numbers)}):', '    n.append(t.Scalar("int64"))', '    n[i].set_as(numbers_ub[i])']
        ins.append('numbers')
        data['numbers'] = np.array(numbers + [0] * (n - len(numbers)), np.int64).tobytes()
    tail = [f't.BuildCCE(kernel_name="moves", inputs=[{", ".join(ins)}], outputs=[{", ".join(outs)}])']
    return '\n'.join(head + body + tail) + '\n', data


def execute(groups):
    """Results of programs, one for each group of moves."""
    job = []
    for i, moves in enumerate(groups):
        text, data = program(moves)
        text = text.encode()
        job += [b'PROGRAM %d %d %s\n' % (i, len(text), moves[0].processor.encode()), text, b'\n']
        for name, raw in data.items():
            job += [b'IN %s %d\n' % (name.encode(), len(raw)), raw, b'\n']
        job.append(b'END\n')
    run = subprocess.run([os.path.join(BUILD, 'tools/diffrun')], input=b''.join(job), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    got = results(run.stdout)
    return [got.get(i, ('crash', run.stderr.decode(errors='replace')[-1500:], {})) for i in range(len(groups))]


def verdict(moves, result):
    """[(move, what is wrong)]"""
    status, detail, outs = result
    bad = []
    if status != 'ok':
        return [(None, f'{status} {detail}')]
    for k, m in enumerate(moves):
        want, got = m.expected(), outs[f'c{k}'][:len(m.dst.data)]
        wrong = [i for i, (a, b) in enumerate(zip(want, got)) if a != b]
        if wrong:
            i = wrong[0]
            bad.append((m, f'byte {i} is {got[i]:02x}, the model says {want[i]:02x}; {len(wrong)} bytes differ'))
    return bad


def narrow(moves, text):
    out = []
    for m in moves:
        single = Move(m.kind, m.seed)
        out += [(single, why) for _, why in verdict([single], execute([[single]])[0])]
    return out or [(moves[0], 'only together with others: ' + text)]


def check(work):
    """(moves that pass, [what is wrong])"""
    groups = {}
    for kind, seed in work:
        m = Move(kind, seed)
        groups.setdefault((m.processor, seed if kind == 'cores' else None), []).append(m)
    groups = [g[i:i + TOGETHER] for g in groups.values() for i in range(0, len(g), TOGETHER)]
    bad = []
    for moves, result in zip(groups, execute(groups)):
        wrong = verdict(moves, result)
        if wrong and wrong[0][0] is None:
            wrong = narrow(moves, wrong[0][1])
        bad += [f'move_random.py {m.kind} {m.seed}\n    {text}' for m, text in wrong]
    return len(work) - len(bad), bad


def show_one(kind, seed):
    m = Move(kind, seed)
    print(f'# --soc {m.processor}\n' + program([m])[0])
    m = Move(kind, seed)
    wrong = verdict([m], execute([[m]])[0])
    print('\n'.join(text for _, text in wrong) or 'equal')
    return 1 if wrong else 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] in KINDS:
        return show_one(sys.argv[1], int(sys.argv[2]))
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    a = ap.parse_args()
    kinds = [k for k in KINDS if a.match in k]
    total, first = int(os.environ.get('TIKC_MOVES', '400')), int(os.environ.get('TIKC_SEED', '1'))
    work = [(kinds[i % len(kinds)], first + i) for i in range(total)]
    passed, bad = 0, []
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for ok, wrong in pool.map(check, [work[i:i + 200] for i in range(0, len(work), 200)]):
            passed += ok
            bad += wrong
    print('\n'.join(bad[:20]))
    print(f'{passed} passed, {len(bad)} failed')
    return 1 if bad or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
