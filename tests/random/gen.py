"""Random kernels: a tree of statements that prints as a TIK program and runs on the numpy model.

A Program is a function of its seed alone. It is valid by construction (offsets, repeats and strides are
chosen so that the worst iteration stays inside the buffers), unless `faulty` is set: then a value that
is known only at run time breaks one rule, and every back end has to stop with the same fault.

The statements are nested lists of tuples; expressions are ('const', n), ('var', name), ('add', a, b),
('mul', a, n). Loop variables and Scalars are both 'var'.
"""
import sys
import os
import random

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import rows  # noqa: E402
from operand import Names, Operands

SIZE = {'float16': 2, 'float32': 4, 'int32': 4, 'int16': 2, 'uint16': 2, 'int8': 1, 'uint8': 1, 'int64': 8}
NP = {'float16': np.uint16, 'float32': np.uint32, 'int32': np.int32, 'int16': np.int16, 'uint16': np.uint16,
      'int8': np.int8, 'uint8': np.uint8, 'int64': np.int64}
BINARY = ['vec_add', 'vec_sub', 'vec_mul', 'vec_max', 'vec_min']
BITS = ['vec_and', 'vec_or']
UB_BYTES = 8192
SOCS = {
    'Ascend310P3': ['float16', 'float32', 'int32', 'int16', 'uint16', 'int64'],
    'Ascend910A': ['float16', 'float32', 'int32', 'uint16', 'int64'],
    'Ascend910B1': ['float16', 'float32', 'int32', 'int16', 'uint16'],
    'Ascend310B1': ['float16', 'float32', 'int32', 'int16', 'uint16', 'int8', 'uint8'],
}


def program(seed):
    """The program of a seed: each fifth goes over rows that it reduces."""
    return rows.Program(seed) if seed % 5 == 3 else Program(seed)


def const(n):
    return ('const', n)


def add(a, b):
    return b if a == const(0) else a if b == const(0) else ('add', a, b)


def mul(a, n):
    return ('mul', a, n)


def text(e):
    kind = e[0]
    if kind == 'const':
        return str(e[1])
    if kind == 'var':
        return e[1]
    if kind == 'add':
        return f'({text(e[1])} + {text(e[2])})'
    return f'{text(e[1])} * {e[2]}'


def value(e, env):
    kind = e[0]
    if kind == 'const':
        return e[1]
    if kind == 'var':
        return env[e[1]]
    if kind == 'add':
        return value(e[1], env) + value(e[2], env)
    return value(e[1], env) * e[2]


def highest(e, ranges):
    kind = e[0]
    if kind == 'const':
        return e[1]
    if kind == 'var':
        return ranges[e[1]]
    if kind == 'add':
        return highest(e[1], ranges) + highest(e[2], ranges)
    return highest(e[1], ranges) * e[2]


class Program:
    def __init__(self, seed):
        self.seed = seed
        self.r = random.Random(seed)
        r = self.r
        self.soc = r.choice(list(SOCS))
        self.dtype = r.choice(SOCS[self.soc])
        self.size = SIZE[self.dtype]
        self.block = 32 // self.size
        self.lanes = 256 // self.size
        self.cores = r.choice([1, 1, 1, 2, 3, 8])
        self.gm_elems = r.choice([1000, 2048, 4096]) + r.randrange(3)
        self.ub_elems = UB_BYTES // self.size
        self.ubs = [f'ub{i}' for i in range(r.randint(2, 4))]
        self.l1 = self.soc != 'Ascend910B1' and r.random() < 0.25
        self.faulty = r.random() < 0.04
        self.tile = random.Random(~seed).choice([1, 2, 4]) if seed % 5 in (1, 2) else 0   # whole repeats of like tiles
        self.varied = seed % 3 != 0 and not self.tile   # numbers are spelt in many ways
        self.tiling = [r.choice([1, 2, 3, 5, 6]) for _ in range(8)]   # never a whole block of int64
        self.scalars = []   # names of Scalars read from the tiling tensor
        self.names = 0
        self.row = None   # where the row of the loop begins
        self.ranges = {}
        self.bounded = 0   # open loops whose bound is a Scalar
        self.body = self.make_body()

    # ---- making -------------------------------------------------------------------------------

    def fresh(self, stem):
        self.names += 1
        return f'{stem}{self.names}'

    def make_body(self):
        r = self.r
        body = [('dup', u) for u in self.ubs if r.random() < 0.7]
        if r.random() < 0.5 or self.faulty:
            for _ in range(r.randint(1, 2)):
                name = self.fresh('s')
                i = r.randrange(8)
                body.append(('scalar', name, i))
                self.scalars.append(name)
                self.ranges[name] = 6
        for i, u in enumerate(self.ubs[:2]):
            body.append(self.load(u, f'in{i}'))
        if self.chooses():
            body.append(self.compare())
        body += self.statements(r.randint(2, 7), 0)
        if self.faulty:
            first = max(i for i, s in enumerate(body) if s[0] == 'scalar') + 1
            body.insert(r.randint(first, len(body)), self.fault())
        for u in self.ubs[:2]:
            body.append(self.store(u))
        return body

    def statements(self, n, depth):
        out = []
        for _ in range(n):
            out += self.row_loops() if self.tile and self.r.random() < 0.15 else [self.statement(depth)]
        return out

    def row_loops(self):
        """Loops over the same rows, one after the other."""
        r = self.r
        trips, out = r.choice([2, 3, 4]), []
        for _ in range(r.choice([2, 2, 3])):
            var = self.fresh('i')
            self.ranges[var] = trips - 1
            self.row = mul(('var', var), self.tile * self.lanes)
            out.append(('for', var, trips, [self.neat() for _ in range(r.randint(1, 3))]))
            self.row = None
            del self.ranges[var]
        return out

    def statement(self, depth):
        r = self.r
        p = r.random()
        if depth < 3 and p < 0.16:
            return self.loop(depth)
        if depth and p < 0.22:
            return self.branch(depth)
        if p < 0.26 and self.scalars and not self.bounded:
            return ('setscalar', r.choice(self.scalars), r.choice([1, 2, 3, 5, 6]))   # never a whole block
        if p < 0.30:
            return ('element', r.choice(self.ubs), r.randrange(self.ub_elems), self.literal())
        if p < 0.42:
            return self.local_move()
        if p < 0.50:
            return self.load(r.choice(self.ubs), r.choice(['in0', 'in1']))
        if p < 0.55 and depth < 2:
            return ('scope', self.statements(r.randint(1, 2), depth + 1))
        return self.vector()

    def loop(self, depth):
        r = self.r
        var = self.fresh('i')
        trips = r.choice([1, 2, 3, 5])
        bound = None
        if self.scalars and r.random() < 0.3:
            bound = r.choice(self.scalars)
            trips = 6
        self.ranges[var] = trips - 1
        self.bounded += bound is not None
        body = self.statements(r.randint(1, 3), depth + 1)
        self.bounded -= bound is not None
        stmt = ('for', var, bound if bound else trips, body)
        del self.ranges[var]
        return stmt

    def branch(self, depth):
        r = self.r
        name = r.choice(list(self.ranges)) if self.ranges else None
        if not name:
            return self.vector()
        cond = (name, r.choice(['<', '<=', '==', '!=', '>', '>=']), r.randint(0, 4))
        other = self.statements(1, depth + 1) if r.random() < 0.5 else None
        return ('if', cond, self.statements(r.randint(1, 2), depth + 1), other)

    def literal(self):
        r = self.r
        if self.dtype.startswith('float'):
            return r.choice([0.0, 1.0, -2.5, 0.1, 65504.0, -0.0, 1e-7, 3])
        info = np.iinfo(NP[self.dtype])
        return r.choice([0, 1, 7, int(info.max) - 1] + ([-1, int(info.min)] if info.min else []))

    def offset(self, room, unit):
        """An element offset of at most room, a multiple of unit, maybe with loop variables."""
        r = self.r
        e = const(0)
        names = [n for n in self.ranges]
        r.shuffle(names)
        for name in names[:2]:
            top = self.ranges[name]
            most = room // (top * unit) if top else 4
            if most > 0 and r.random() < 0.6:
                k = r.randint(1, min(most, 8)) * unit
                e = add(e, mul(('var', name), k))
                room -= top * k
        return add(e, const(r.randint(0, room // unit) * unit)) if r.random() < 0.7 else e

    def mask(self, wide):
        """(text form, highest lane + 1). wide: the lanes of this instruction."""
        r = self.r
        p = r.random()
        if p < 0.45:
            return wide, wide
        if p < 0.75:
            n = r.randint(1, wide)
            return n, n
        if wide <= 64:
            lo = r.getrandbits(wide) or 1
            return [0, lo], lo.bit_length()
        if wide == 256:
            words = [r.choice([0, r.getrandbits(64)]) for _ in range(3)] + [r.getrandbits(64) or 1]
            top = max(64 * (3 - i) + w.bit_length() for i, w in enumerate(words) if w)
            return words, top
        hi, lo = r.choice([0, r.getrandbits(64)]), r.getrandbits(64) or 1
        return [hi, lo], 64 + hi.bit_length() if hi else lo.bit_length()

    def chooses(self):
        return self.tile and self.dtype.startswith('float') and self.soc != 'Ascend910A'

    def place(self):
        """Where the tiles of an instruction begin."""
        n = self.tile * self.lanes
        if self.row and self.r.random() < 0.9:
            return self.row
        return self.offset(self.ub_elems - n, n) if self.r.random() < 0.3 else const(0)

    def compare(self):
        op = 'vec_cmpv_' + self.r.choice(['lt', 'le', 'gt', 'ge', 'eq', 'ne'])
        return ('compare', op, [self.r.choice(self.ubs) for _ in range(2)], self.place())

    def select(self):
        scalar = self.literal() if self.r.random() < 0.3 else None
        return ('select', [self.r.choice(self.ubs) for _ in range(3)], self.place(), scalar)

    def neat(self):
        """An instruction on whole repeats, at the place that most have."""
        r = self.r
        p = r.random()
        if self.chooses() and p < 0.4:
            return self.compare() if p < 0.15 else self.select()
        op = r.choice(self.ops())
        at = self.place()
        scalar = self.literal() if op in ('vec_dup', 'vec_adds', 'vec_muls') else None
        return ('vec', op, self.lanes, [(b, at, 8) for b in self.pick_operands(op)], scalar, self.tile, False)

    def vector(self):
        if self.tile and self.r.random() < 0.8:
            return self.neat()
        r = self.r
        lanes = self.lanes
        op = r.choice(self.ops())
        mask, top = self.mask(lanes)
        repeat = r.choice([1, 1, 2, 3, 5])
        scalar_repeat = None
        if self.scalars and r.random() < 0.2:
            scalar_repeat = r.choice(self.scalars)
            repeat = 6
        dst, *srcs = self.pick_operands(op)
        stride = lambda: r.choice([8, 8, 8, 0, 1, 4, 9, 10])
        inplace = dst in srcs
        rd = 8 if inplace else stride()
        operands = []
        room = self.ub_elems - ((repeat - 1) * rd * self.block + top)
        off = self.offset(room, self.block)
        operands.append((dst, off, rd))
        for s in srcs:
            if s == dst:
                operands.append((s, off, rd))
                continue
            rs = stride()
            room = self.ub_elems - ((repeat - 1) * rs * self.block + top)
            operands.append((s, self.offset(room, self.block), rs))
        scalar = self.literal() if op in ('vec_dup', 'vec_adds', 'vec_muls') else None
        counter = None
        if op in ('vec_adds', 'vec_muls') and self.soc != 'Ascend910A' and r.random() < 0.15:
            counter = r.randint(1, 3 * lanes)
            operands = [(b, const(0), 8) for b, _, _ in operands]
        return ('vec', op, counter or mask, operands, scalar, scalar_repeat or repeat, bool(counter))

    def ops(self):
        t = self.dtype
        if t == 'uint16':
            return BITS + ['vec_not', 'vec_dup']
        if t in ('int8', 'uint8'):
            return BITS + ['vec_add', 'vec_sub', 'vec_max', 'vec_adds', 'vec_dup']
        if t == 'int64':
            return BINARY + BITS + ['vec_dup', 'vec_adds', 'vec_muls', 'vec_abs', 'vec_relu', 'vec_not']
        ops = BINARY + ['vec_dup']
        if t in ('float16', 'float32'):
            ops = ops + ['vec_adds', 'vec_muls', 'vec_abs']
            if t == 'float16' or self.soc != 'Ascend910A':
                ops.append('vec_relu')
        if t == 'int16':
            ops = ops + BITS + ['vec_not', 'vec_adds', 'vec_muls']
        if t == 'int32' and self.soc != 'Ascend910A':
            ops = ops + ['vec_adds', 'vec_muls', 'vec_relu']
        return ops

    def pick_operands(self, op):
        r = self.r
        n = {'vec_dup': 1, 'vec_adds': 2, 'vec_muls': 2, 'vec_abs': 2, 'vec_relu': 2, 'vec_not': 2}.get(op, 3)
        dst = r.choice(self.ubs)
        others = [u for u in self.ubs if u != dst]
        srcs = [dst if r.random() < 0.25 else r.choice(others) for _ in range(n - 1)]
        if len(srcs) == 2 and srcs[0] != srcs[1] and dst in srcs and r.random() < 0.5:
            srcs = [dst, dst]
        return [dst] + srcs

    def blocks_of(self, limit):
        """nburst, burst, gap with an extent of at most limit blocks."""
        r = self.r
        while True:
            n, b, g = r.randint(1, 4), r.randint(1, 20), r.choice([0, 0, 1, 3])
            if n * b + (n - 1) * g <= limit:
                return n, b, g

    def load(self, ub, gm):
        n = self.tile * self.lanes
        if self.tile and n <= self.gm_elems and self.r.random() < 0.7:
            return ('load', ub, self.place(), gm, self.offset(self.gm_elems - n, 1), 1, n // self.block, 0, 0, False)
        n, b, gap = self.blocks_of(min(60, self.gm_elems // self.block))
        gap2 = self.r.choice([0, gap, 2])
        ext = (n * b + (n - 1) * gap) * self.block
        ext2 = (n * b + (n - 1) * gap2) * self.block
        src = self.offset(self.gm_elems - ext, 1)
        dst = self.offset(self.ub_elems - ext2, self.block)
        via = self.l1 and self.r.random() < 0.3
        return ('load', ub, dst, gm, src, n, b, gap, gap2, via)

    def store(self, ub):
        n, b, gap = self.blocks_of(40)
        chunk = self.gm_elems // self.cores
        if n * b * self.block > chunk:
            n, b, gap = 1, 1, 0
        ext = (n * b) * self.block
        ext2 = (n * b + (n - 1) * gap) * self.block
        return ('store', ub, self.offset(self.ub_elems - ext2, self.block),
                add(mul(('var', 'core'), chunk), const(self.r.randint(0, chunk - ext))), n, b, gap)

    def local_move(self):
        dst = self.r.choice(self.ubs)
        src = self.r.choice([u for u in self.ubs if u != dst])
        n, b, g = self.blocks_of(60)
        g2 = self.r.choice([0, 1, 2])
        room = lambda gap: self.ub_elems - (n * b + (n - 1) * gap) * self.block
        return ('move', dst, self.offset(room(g2), self.block), src, self.offset(room(g), self.block), n, b, g, g2)

    def fault(self):
        """A rule that only a run-time value breaks."""
        s = self.r.choice(self.scalars)
        kind = self.r.choice(['bounds', 'align', 'burst', 'mask'])
        return ('fault', kind, s)

    # ---- printing -----------------------------------------------------------------------------

    def source(self, kernel='k'):
        t = self.dtype
        self.spelling, self.names_of_numbers = random.Random(~self.seed), Names()
        out = [f'# seed {self.seed}', 'from tbe import tik',
               'tik_instance = tik.Tik()']
        tensor = lambda n, dt, e, sc: out.append(
            f'{n} = tik_instance.Tensor("{dt}", ({e},), name="{n}", scope=tik.{sc})')
        tensor('in0', t, self.gm_elems, 'scope_gm')
        tensor('in1', t, self.gm_elems, 'scope_gm')
        tensor('tiling', 'int32', 8, 'scope_gm')
        tensor('out0', t, self.gm_elems, 'scope_gm')
        ind = ''
        if self.cores > 1:
            out.append(f'with tik_instance.for_range(0, {self.cores}, block_num={self.cores}) as core:')
            ind = '    '
        lines = []
        for u in self.ubs:
            lines.append(f'{u} = tik_instance.Tensor("{t}", ({self.ub_elems},), name="{u}", scope=tik.scope_ubuf)')
        if self.chooses():
            lines.append('bits = tik_instance.Tensor("uint8", (128,), name="bits", scope=tik.scope_ubuf)')
        if self.l1:
            lines.append(f'l1 = tik_instance.Tensor("{t}", ({self.ub_elems},), name="l1", scope=tik.scope_cbuf)')
        if self.scalars or self.varied:
            lines.append('til_ub = tik_instance.Tensor("int32", (8,), name="til_ub", scope=tik.scope_ubuf)')
            lines.append('tik_instance.data_move(til_ub, tiling, 0, 1, 1, 0, 0)')
        if self.varied:   # zero while running
            lines += ['nil = tik_instance.Scalar("int32", name="nil")', 'nil.set_as(til_ub[7])',
                      f'nil.set_as(nil - {self.tiling[7]})']
        if self.cores == 1:
            lines.append('core = 0')
        self.print_body(self.body, '', lines)
        out += [ind + l for l in lines]
        out.append('tik_instance.BuildCCE(kernel_name="{}", inputs=[in0, in1, tiling], outputs=[out0])'
                   .format(kernel))
        return '\n'.join(out) + '\n'

    def at(self, name, e, ops=None):
        if e == const(0):
            return name
        return f'{name}[{ops.number(e[1]) if ops and e[0] == "const" else text(e)}]'

    def operands(self):
        """How the numbers of one statement are spelt; in some programs all are literals."""
        late = lambda v: f'(nil + {v})' if v else 'nil'
        ops = Operands(self.spelling, late, self.names_of_numbers, 'tik_instance')
        if not self.varied:
            ops.number = str
        return ops

    def put(self, out, ind, ops, line):
        out += [ind + l for l in ops.around(line)]

    def print_body(self, body, ind, out):
        for s in body:
            getattr(self, 'print_' + s[0])(s, ind, out)
        if not body:
            out.append(ind + 'pass')

    def print_dup(self, s, ind, out):
        out.append(f'{ind}tik_instance.vec_dup({self.lanes}, {s[1]}, 0, {self.ub_elems // self.lanes}, 8)')

    def print_scalar(self, s, ind, out):
        out.append(f'{ind}{s[1]} = tik_instance.Scalar("int32", name="{s[1]}")')
        out.append(f'{ind}{s[1]}.set_as(til_ub[{s[2]}])')

    def print_setscalar(self, s, ind, out):
        out.append(f'{ind}{s[1]}.set_as({s[2]})')

    def print_element(self, s, ind, out):
        out.append(f'{ind}{s[1]}[{s[2]}].set_as({s[3]!r})')

    def print_for(self, s, ind, out):
        ops = self.operands()
        end = s[2] if isinstance(s[2], str) else ops.number(s[2])
        self.put(out, ind, ops, f'with tik_instance.for_range({ops.number(0)}, {end}) as {s[1]}:')
        self.print_body(s[3], ' ' * (len(out[-1]) - len(out[-1].lstrip())) + '    ', out)

    def print_if(self, s, ind, out):
        name, op, n = s[1]
        out.append(f'{ind}with tik_instance.if_scope({name} {op} {n}):')
        self.print_body(s[2], ind + '    ', out)
        if s[3] is not None:
            out.append(f'{ind}with tik_instance.else_scope():')
            self.print_body(s[3], ind + '    ', out)

    def print_scope(self, s, ind, out):
        out.append(f'{ind}with tik_instance.new_stmt_scope():')
        self.print_body(s[1], ind + '    ', out)

    def print_load(self, s, ind, out):
        _, ub, dst, gm, src, n, b, gap, gap2, via = s
        o = self.operands()
        if via:
            self.put(out, ind, o, f'tik_instance.data_move(l1, {self.at(gm, src, o)}, 0, {o.number(n)}, {b}, {gap}, 0)')
            self.put(out, ind, o, f'tik_instance.data_move({self.at(ub, dst, o)}, l1, 0, {n}, {o.number(b)}, 0, {gap2})')
        else:
            self.put(out, ind, o, f'tik_instance.data_move({self.at(ub, dst, o)}, {self.at(gm, src, o)}, 0, '
                                  f'{o.number(n)}, {o.number(b)}, {o.number(gap)}, {o.number(gap2)})')

    def print_store(self, s, ind, out):
        _, ub, src, dst, n, b, gap = s
        o = self.operands()
        self.put(out, ind, o, f'tik_instance.data_move({self.at("out0", dst)}, {self.at(ub, src, o)}, 0, '
                              f'{o.number(n)}, {o.number(b)}, {o.number(gap)}, {o.number(0)})')

    def print_move(self, s, ind, out):
        _, d, do, src, so, n, b, g, g2 = s
        o = self.operands()
        self.put(out, ind, o, f'tik_instance.data_move({self.at(d, do, o)}, {self.at(src, so, o)}, 0, '
                              f'{o.number(n)}, {o.number(b)}, {o.number(g)}, {o.number(g2)})')

    def print_vec(self, s, ind, out):
        _, op, mask, operands, scalar, repeat, counter = s
        ops = self.operands()
        tensors = [self.at(b, o, ops) for b, o, _ in operands]
        if scalar is not None:
            tensors.append(repr(scalar))
        strides = [ops.number(r) for _, _, r in operands]
        tail = [', mask_mode="counter"'] if counter else ['']
        m = ops.number(mask) if isinstance(mask, int) else '[' + ', '.join(hex(w) for w in mask) + ']'
        repeat = repeat if isinstance(repeat, str) else ops.number(repeat)
        self.put(out, ind, ops, f'tik_instance.{op}({m}, {", ".join(tensors)}, {repeat}, {", ".join(strides)}{tail[0]})')

    def print_compare(self, s, ind, out):
        _, op, (a, b), at = s
        o = self.operands()
        self.put(out, ind, o, f'tik_instance.{op}(bits, {self.at(a, at, o)}, {self.at(b, at, o)}, '
                              f'{o.number(self.tile)}, 8, 8)')

    def print_select(self, s, ind, out):
        _, (d, a, b), at, scalar = s
        o = self.operands()
        other = self.at(b, at, o) if scalar is None else repr(scalar)
        self.put(out, ind, o, f'tik_instance.vec_sel({self.lanes}, {2 if scalar is None else 1}, {self.at(d, at, o)}, '
                              f'bits, {self.at(a, at, o)}, {other}, {o.number(self.tile)}, 8, 8, 8)')

    def print_fault(self, s, ind, out):
        u, name = self.ubs[0], s[2]
        out.append(ind + {
            'bounds': f'tik_instance.data_move({u}[{self.ub_elems - self.block} + {name} * {self.block}], '
                      f'in0, 0, 1, 1, 0, 0)',
            'align': f'tik_instance.data_move({u}[{name}], in0, 0, 1, 1, 0, 0)',
            'burst': f'tik_instance.data_move({u}, in0, 0, 1, {name} - 7, 0, 0)',
            'mask': f'tik_instance.vec_dup({name} + {self.lanes}, {u}, 0, 1, 8)',
        }[s[1]])

    # ---- running on the model --------------------------------------------------------------------

    def inputs(self):
        """Contents of the global tensors: random bits, so that every class of float occurs."""
        rng = np.random.default_rng(self.seed)
        t = NP[self.dtype]
        info = np.iinfo(t)
        make = lambda: rng.integers(info.min, info.max, self.gm_elems, dtype=t, endpoint=True)
        return {'in0': make(), 'in1': make(), 'tiling': np.array(self.tiling, np.int32)}

    def run(self, inputs):
        """Bytes of out0 after all cores ran; raises ref_model.Fault."""
        from ref_model import Buffer, Machine
        gm = dict(inputs, out0=np.zeros(self.gm_elems, NP[self.dtype]))
        for core in range(self.cores):
            buffers = {n: Buffer('GM', 'int32' if n == 'tiling' else self.dtype, a) for n, a in gm.items()}
            for u in self.ubs:
                buffers[u] = Buffer('UB', self.dtype, self.ub_elems)
            buffers['bits'] = Buffer('UB', 'uint8', 128)
            buffers['l1'] = Buffer('L1', self.dtype, self.ub_elems)
            m = Machine(self.soc, buffers)
            self.exec_body(self.body, {'core': core}, m)
            gm['out0'] = m.array('out0', self.dtype).view(NP[self.dtype])[:self.gm_elems]
        return gm['out0']

    def ref(self, name, e, env):
        from ref_model import Ref
        return Ref(name, value(e, env) * self.size, self.dtype)

    def exec_body(self, body, env, m):
        for s in body:
            getattr(self, 'exec_' + s[0])(s, env, m)

    def exec_dup(self, s, env, m):
        m.run([('vec_dup', dict(mask=self.lanes, dst=self.ref(s[1], const(0), env), scalar=0,
                                repeat_times=self.ub_elems // self.lanes, dst_rep_stride=8))])

    def exec_scalar(self, s, env, m):
        env[s[1]] = self.tiling[s[2]]

    def exec_setscalar(self, s, env, m):
        env[s[1]] = s[2]

    def exec_element(self, s, env, m):
        m.run([('store', dict(dst=self.ref(s[1], const(s[2]), env), value=s[3]))])

    def exec_for(self, s, env, m):
        bound = env[s[2]] if isinstance(s[2], str) else s[2]
        for i in range(bound):
            env[s[1]] = i
            self.exec_body(s[3], env, m)

    def exec_if(self, s, env, m):
        name, op, n = s[1]
        a = env[name]
        taken = {'<': a < n, '<=': a <= n, '==': a == n, '!=': a != n, '>': a > n, '>=': a >= n}[op]
        if taken:
            self.exec_body(s[2], env, m)
        elif s[3] is not None:
            self.exec_body(s[3], env, m)

    def exec_scope(self, s, env, m):
        self.exec_body(s[1], env, m)

    def move(self, m, dst, src, n, b, gap, gap2):
        m.run([('data_move', dict(dst=dst, src=src, nburst=n, burst=b, src_stride=gap, dst_stride=gap2))])

    def exec_load(self, s, env, m):
        _, ub, dst, gm, src, n, b, gap, gap2, via = s
        d, g = self.ref(ub, dst, env), self.ref(gm, src, env)
        if via:
            l1 = self.ref('l1', const(0), env)
            self.move(m, l1, g, n, b, gap, 0)
            self.move(m, d, l1, n, b, 0, gap2)
        else:
            self.move(m, d, g, n, b, gap, gap2)

    def exec_store(self, s, env, m):
        _, ub, src, dst, n, b, gap = s
        self.move(m, self.ref('out0', dst, env), self.ref(ub, src, env), n, b, gap, 0)

    def exec_move(self, s, env, m):
        _, d, do, src, so, n, b, g, g2 = s
        self.move(m, self.ref(d, do, env), self.ref(src, so, env), n, b, g, g2)

    def exec_vec(self, s, env, m):
        _, op, mask, operands, scalar, repeat, counter = s
        names = ['dst'] + (['src'] if len(operands) == 2 else ['src0', 'src1'] if len(operands) == 3 else [])
        o = {n: self.ref(b, e, env) for n, (b, e, _) in zip(names, operands)}
        o.update({n + '_rep_stride': r for n, (_, _, r) in zip(names, operands)})
        o.update(mask=mask, repeat_times=env[repeat] if isinstance(repeat, str) else repeat)
        if scalar is not None:
            o['scalar'] = scalar
        if counter:
            o['mask_mode'] = 'counter'
        m.run([(op, o)])

    def bits(self):
        from ref_model import Ref
        return Ref('bits', 0, 'uint8')

    def exec_compare(self, s, env, m):
        _, op, (a, b), at = s
        m.run([(op, dict(dst=self.bits(), src0=self.ref(a, at, env), src1=self.ref(b, at, env),
                         repeat_times=self.tile, src0_rep_stride=8, src1_rep_stride=8))])

    def exec_select(self, s, env, m):
        _, (d, a, b), at, scalar = s
        m.run([('vec_sel', dict(mask=self.lanes, mode=2 if scalar is None else 1, dst=self.ref(d, at, env),
                                sel=self.bits(), src0=self.ref(a, at, env),
                                src1=self.ref(b, at, env) if scalar is None else scalar, repeat_times=self.tile,
                                dst_rep_stride=8, src0_rep_stride=8, src1_rep_stride=8))])

    def exec_fault(self, s, env, m):
        from ref_model import Fault
        raise Fault({'bounds': 'tensor-overflow', 'align': 'address-align', 'burst': 'range-burst',
                     'mask': 'mask-range'}[s[1]])
