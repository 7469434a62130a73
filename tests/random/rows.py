"""Random kernels over rows, of the shape of softmax and layer normalisation: loops over rows, or over bands of
them, in which a row is brought in, reduced, changed by what the reduction gave, and brought out again.

A Program is a function of its seed alone, as those of gen.py, which takes some of its seeds from here. It is valid by
construction. A statement has lines(), its text, and run(machine, env), its meaning on the numpy model of
vector instructions; env holds the variables of loops. Offsets are lists of (loop variable, factor) and a constant.
"""
import random

import numpy as np

SIZE = {'float16': 2, 'float32': 4}
PROFILES = {'Ascend310P3': 'v200', 'Ascend910B1': 'v220', 'Ascend310B1': 'v300'}
BLOCK = 32
NUMBERS = (2.0, -1.0, 0.5, 0.125, -3.0, 1e-3)
UNARY = ('vec_abs', 'vec_relu', 'vec_exp', 'vec_rsqrt', 'vec_rec')
BINARY = ('vec_add', 'vec_sub', 'vec_mul', 'vec_max', 'vec_min')


class At:
    """A place in a tensor."""

    def __init__(self, name, dtype, terms=(), more=0):
        self.name, self.dtype, self.terms, self.more = name, dtype, tuple(terms), more

    def __add__(self, elements):
        return At(self.name, self.dtype, self.terms, self.more + elements)

    def text(self):
        parts = [f'{var} * {by}' for var, by in self.terms] + [str(self.more)] * (self.more != 0)
        return f'{self.name}[{" + ".join(parts)}]' if parts else self.name

    def element(self):
        return self.text() if self.terms or self.more else self.name + '[0]'

    def offset(self, env):
        return self.more + sum(env[var] * by for var, by in self.terms)

    def view(self, env):
        from vector_model import View
        return View(self.name, self.offset(env) * SIZE[self.dtype], self.dtype, (1,))


class Call:
    """An instruction with operands in the order of its prototype: numbers, texts, places and names of Scalars."""

    def __init__(self, method, *operands):
        self.method, self.operands = method, operands

    def lines(self):
        return [f't.{self.method}({", ".join(self.word(o) for o in self.operands)})']

    @staticmethod
    def word(o):
        return o.text() if isinstance(o, At) else o.name if isinstance(o, Register) else repr(o)

    def run(self, m, env):
        given = [o.view(env) if isinstance(o, At) else env[o.name] if isinstance(o, Register) else o for o in self.operands]
        getattr(m, self.method)(*given)


class Register:
    """A Scalar. It is declared where a statement first sets it."""

    def __init__(self, name, dtype):
        self.name, self.dtype = name, dtype


class Move:
    """data_move of a number of bursts. rows: (of the destination, of the source), the blocks from one to the next."""

    def __init__(self, dst, src, bursts, blocks, rows):
        self.dst, self.src, self.bursts, self.blocks, self.rows = dst, src, bursts, blocks, rows

    def lines(self):
        return [f't.data_move({self.dst.text()}, {self.src.text()}, 0, {self.bursts}, {self.blocks}, '
                f'{self.rows[1] - self.blocks}, {self.rows[0] - self.blocks})']

    def run(self, m, env):
        size = SIZE[self.dst.dtype]
        for k in range(self.bursts):
            to, at = (p.offset(env) * size + k * step * BLOCK for p, step in zip((self.dst, self.src), self.rows))
            n = self.blocks * BLOCK
            m.memory[self.dst.name][to:to + n] = m.memory[self.src.name][at:at + n]


class Set:
    """A Scalar gets an element, a number, or a formula of Scalars: work(values) computes in the Scalar's dtype."""

    def __init__(self, register, text, read=(), work=None, element=None, first=False):
        self.register, self.text, self.read, self.work = register, text, read, work
        self.element, self.first = element, first

    def lines(self):
        name, dtype = self.register.name, self.register.dtype
        declared = [f'{name} = t.Scalar("{dtype}", name="{name}")'] if self.first else []
        return declared + [f'{name}.set_as({self.text})']

    def run(self, m, env):
        from vector_model import Scalar
        from vector_model.core import number_bits, to_numbers, UINT
        dtype = self.register.dtype
        held = env.setdefault(self.register.name, Scalar(dtype))
        if self.element:
            held.set(m.read(self.element.view(env), np.arange(1))[0])
            return
        word = UINT[SIZE[dtype]]
        x = [to_numbers(np.array([env[r.name].bits], np.uint64).astype(word), dtype)[0] for r in self.read]
        result = np.array([self.work(*x)]).astype(dtype)
        held.set(number_bits(float('nan'), dtype) if np.isnan(result[0]) else result.view(word)[0])


class Put:
    """An element of a tensor gets the bits of a Scalar."""

    def __init__(self, place, register):
        self.place, self.register = place, register

    def lines(self):
        return [f'{self.place.element()}.set_as({self.register.name})']

    def run(self, m, env):
        m.write(self.place.view(env), np.arange(1), env[self.register.name].bits)


class Local:
    """A tensor in the Unified Buffer, with the bytes that were there."""

    def __init__(self, name, dtype, elements):
        self.name, self.dtype, self.elements = name, dtype, elements

    def lines(self):
        return [f'{self.name} = t.Tensor("{self.dtype}", ({self.elements},), name="{self.name}", scope=tik.scope_ubuf)']

    def run(self, m, env):
        m.memory[self.name] = np.full(self.elements * SIZE[self.dtype], 0xff, np.uint8)


class Loop:
    def __init__(self, var, trips, body, more='', known=True):
        self.var, self.trips, self.body, self.more, self.known = var, trips, body, more, known

    def lines(self):
        end = self.trips if self.known else 'count'
        return [f'with t.for_range(0, {end}{self.more}) as {self.var}:'] + ['    ' + l for s in self.body for l in s.lines()]

    def run(self, m, env):
        for env[self.var] in range(self.trips):
            for s in self.body:
                s.run(m, env)


class Program:
    """The rows of a matrix, shared among cores; a core's in a loop, one by one or in bands."""
    faulty = False

    def __init__(self, seed):
        self.seed = seed
        r = self.r = random.Random(2 * seed + 1)
        self.soc = r.choice(sorted(PROFILES))
        self.dtype = r.choice(['float32', 'float32', 'float16'])
        self.outer = 'float16' if self.dtype == 'float32' and r.random() < 0.3 else self.dtype   # in global memory
        self.lanes, self.per = 256 // SIZE[self.dtype], BLOCK // SIZE[self.outer]
        self.repeats = r.choice([1, 2, 2, 3, 4, 6, 8])
        self.tail = r.choice([0, 0, 0, 0, 16, self.lanes // 2 + 16, r.randrange(self.lanes)])
        columns = self.repeats * self.lanes + self.tail
        self.padded = self.tail != 0 and self.repeats < 8 and r.random() < 0.3   # rows are filled up: no tail is left
        self.blocks = -(-columns // self.per)                         # of a row in global memory
        self.apart = (self.blocks + r.choice([0, 0, 0, 1])) * self.per   # elements from row to row there,
        self.pitch = -(-columns // self.lanes) * self.lanes              # and on the core
        self.cores, self.trips, self.band = r.choice([1, 1, 2, 4]), r.choice([1, 2, 3, 4, 5]), r.choice([1, 1, 2, 3, 4])
        self.rows = self.cores * self.trips * self.band
        self.known = r.random() < 0.85       # whether the text says how many rows there are
        self.keeps = self.outer == self.dtype and r.random() < 0.3   # a result of each row goes to global memory too
        self.used, self.declared, self.around, self.inside = {}, set(), [], []
        self.make()

    # ---- tensors and Scalars

    def name(self, stem):
        self.used[stem] = self.used.get(stem, 0) + 1
        return stem + (str(self.used[stem]) if self.used[stem] > 1 else '')

    def local(self, stem, elements, dtype=None, still=False):
        """A tensor of the loop over rows, or one around it. still: its contents stay."""
        name = self.name(stem)
        where = self.around if still or self.r.random() < 0.3 else self.inside
        where.append(Local(name, dtype or self.dtype, elements))
        return At(name, dtype or self.dtype)

    def set(self, register, text, read=(), work=None, element=None):
        first = register.name not in self.declared
        self.declared.add(register.name)
        return Set(register, text, read, work, element, first)

    def take(self, register, place):
        return self.set(register, place.element(), element=place)

    # ---- instructions over a row

    def parts(self):
        """(lanes, repeats, elements before them) that cover a row."""
        if self.padded:
            return [(self.lanes, self.pitch // self.lanes, 0)]
        return [(self.lanes, self.repeats, 0)] + [(self.tail, 1, self.repeats * self.lanes)] * (self.tail != 0)

    def over(self, method, places, more=(), still=(), steps=None):
        """still: places at which all repeats are; more: what comes after the places."""
        out = []
        for lanes, repeats, before in self.parts():
            at = [p if p in still else p + before for p in places]
            out.append(Call(method, lanes, *at, *more, repeats, *(steps or [0 if p in still else 8 for p in places])))
        return out

    def part_reduced(self, op, way, lanes, repeats, src, result):
        """One result of some lanes of some repeats."""
        partial, work = self.partial, self.work
        last = lambda n, src: Call('vec_reduce_' + op, n, result, src, work, 1, 8)
        if way == 'repeats':
            method = {'add': 'vcadd', 'max': 'vcmax', 'min': 'vcmin'}[op]
            found = repeats if op == 'add' else [0, sum(1 << 2 * k for k in range(repeats))]   # pairs with where it is
            return [Call(method, lanes, partial, src, repeats, 1, 1, 8), Call(method, found, result, partial, 1, 1, 1, 8)]
        if way == 'blocks':
            found = 8 * repeats if lanes == self.lanes else -(-lanes // (self.lanes // 8))
            return [Call('vcg' + op, lanes, partial, src, repeats, 1, 1, 8), last(found, partial)]
        if way == 'lanes':
            most = 65504.0 if self.dtype == 'float16' else 3e38
            begin = {'add': 0.0, 'max': -most, 'min': most}[op]
            steps = [Call('vec_' + op, lanes, partial, partial, src + k * lanes, 1, 8, 8, 8) for k in range(repeats)]
            return [Call('vec_dup', lanes, partial, begin, 1, 8)] + steps + [last(lanes, partial)]
        return [Call('vec_reduce_' + op, lanes, result, src, work, repeats, 8)]

    def reduced(self, op, src, s):
        """A Scalar gets the sum or the extreme of a row."""
        way, out = self.r.choice(['whole', 'whole', 'repeats', 'blocks', 'lanes']), []
        place, tail = self.result, self.result + 16
        for k, (lanes, repeats, before) in enumerate(self.parts()):
            out += self.part_reduced(op, way, lanes, repeats, src + before, [place, tail][k])
        if k == 0 or self.r.random() < 0.5:
            return out + [Call('vec_' + op, 1, place, place, tail, 1, 8, 8, 8)] * k + [self.take(s, place)]
        out += [self.take(s, place), self.take(self.other, tail)]
        if op != 'add' and self.dtype == 'float32':
            return out + [Call('scalar_' + op, s, s, self.other)]
        return out + [self.set(s, f'{s.name} + {self.other.name}', (s, self.other), lambda a, b: a + b)]

    def adjusted(self, s):
        """The Scalar becomes what its row is changed by."""
        r, out = self.r, []
        kinds = ['minus', 'mean', 'more', 'inverse'] + ['root'] * (self.dtype == 'float32')   # which has no root of float16
        for kind in r.sample(kinds, r.randint(0, 3)):
            c = {'minus': -1.0, 'mean': 1 / 128, 'more': r.choice([1e-5, 1.0, 0.25])}.get(kind)
            if kind == 'root':
                out.append(Call('scalar_sqrt', s, s))
            elif kind == 'inverse':
                out.append(self.set(s, f'1.0 / {s.name}', (s,), lambda a: type(a)(1) / a))
            elif kind == 'more':
                out.append(self.set(s, f'{s.name} + {c!r}', (s,), lambda a, c=c: a + type(a)(c)))
            else:
                out.append(self.set(s, f'{s.name} * {c!r}', (s,), lambda a, c=c: a * type(a)(c)))
        return out

    def spread(self, x, s):
        """A row is changed by the Scalar."""
        if self.r.random() < 0.6:
            return self.over(self.r.choice(['vec_adds', 'vec_muls']), [x, x], [s])
        op, wide = self.r.choice(BINARY), self.wide
        return [Call('vec_dup', self.lanes, wide, s, 1, 8)] + self.over(op, [x, x, wide], still=(wide,))

    # ---- steps

    def step(self, x):
        """What is done with a row, besides reductions."""
        r = self.r
        p = r.random()
        if p < 0.4:
            return self.over(r.choice(UNARY), [x, x])
        if p < 0.6:
            return self.over(r.choice(['vec_adds', 'vec_muls']), [x, x], [r.choice(NUMBERS)])
        if p < 0.9:
            return self.over(r.choice(BINARY), [x, x, self.factor])
        return self.over('vec_mul', [x, x, x])

    def reduction(self, x):
        """Makes a Scalar of a row and changes the row by it."""
        r = self.r
        s = r.choice(self.scalars)
        out, src = [], x
        if r.random() < 0.4:
            src = self.square
            out += self.over(*r.choice([('vec_mul', [src, x, x]), ('vec_abs', [src, x]), ('vec_add', [src, x, self.factor])]))
        out += self.reduced(r.choice(['add', 'add', 'max', 'min']), src, s) + self.adjusted(s)
        return out + self.spread(x, s)

    def row_steps(self, x):
        out, r = [], self.r
        for _ in range(r.choice([1, 1, 2, 2, 3])):
            out += self.step(x) * (r.random() < 0.5) + self.reduction(x)
        return out + (self.step(x) if r.random() < 0.4 else [])

    # ---- bands

    def band_step(self, x):
        """All rows of a band at once."""
        if self.tail and not self.padded:
            return []
        n, r = self.band * self.pitch // self.lanes, self.r
        if r.random() < 0.6:
            return [Call(r.choice(UNARY), self.lanes, x, x, n, 8, 8)]
        return [Call(r.choice(['vec_adds', 'vec_muls']), self.lanes, x, x, r.choice(NUMBERS), n, 8, 8)]

    def row_loop(self, x, steps):
        var, outside = self.name('r'), self.declared
        self.declared = set(outside)
        loop = Loop(var, self.band, steps(At(x.name, x.dtype, [(var, self.pitch)]), var))
        self.declared = outside
        return loop

    def kept(self, x):
        """A loop makes a Scalar of each row and keeps it, the next one changes the rows."""
        r = self.r
        s = r.choice(self.scalars)
        place = lambda var: At(self.sums.name, self.dtype, [(var, 1)])
        first = self.row_loop(x, lambda row, var: self.reduced(r.choice(['add', 'max', 'min']), row, s) + [Put(place(var), s)])
        between = self.band_step(x) if r.random() < 0.5 else []
        return [first] + between + [self.row_loop(x, lambda row, var: [self.take(s, place(var))] + self.adjusted(s) + self.spread(row, s))]

    def band_body(self, x):
        r, out = self.r, []
        for _ in range(r.choice([1, 1, 2, 3])):
            if r.random() < 0.4:
                out += self.band_step(x)
            out += self.kept(x) if r.random() < 0.3 else [self.row_loop(x, lambda row, var: self.row_steps(row))]
        return out + (self.band_step(x) if r.random() < 0.4 else [])

    # ---- the kernel

    def moved(self, name, core, out):
        """A band is brought in or out."""
        matrix = At(name, self.outer, [('core', self.trips * self.band * self.apart), ('i', self.band * self.apart)])
        steps = self.pitch * SIZE[self.outer] // BLOCK, self.apart // self.per
        bursts, blocks = self.band, self.blocks
        if steps == (blocks, blocks) and self.r.random() < 0.7:
            bursts, blocks = 1, bursts * blocks
            steps = blocks, blocks
        return Move(matrix, core, bursts, blocks, steps[::-1]) if out else Move(core, matrix, bursts, blocks, steps)

    def converted(self, to, x):
        """Rows of the element type of global memory, or of that of the core."""
        rounding = 'none'
        steps = [8 * SIZE[p.dtype] // 4 for p in (to, x)]
        if not self.tail or self.padded:
            return [Call('vec_conv', self.lanes, rounding, to, x, self.band * self.pitch // self.lanes, *steps)]
        return [Call('vec_conv', lanes, rounding, to + (k * self.pitch + before), x + (k * self.pitch + before), repeats, *steps)
                for k in range(self.band) for lanes, repeats, before in self.parts()]

    def make(self):
        r = self.r
        room = self.band * self.pitch
        x = self.local('x', room)
        half = self.local('half', room, self.outer) if self.outer != self.dtype else x
        self.square, self.work = self.local('square', self.pitch), self.local('work', 2 * self.pitch + 64)
        self.partial, self.wide = self.local('partial', 128), self.local('wide', self.lanes)
        self.result, self.sums = self.local('result', self.lanes), self.local('sums', 16)
        self.factor = self.local('factor', self.pitch, still=True)
        self.scalars = [Register(n, self.dtype) for n in ('s', 'v')[:r.randint(1, 2)]]
        self.other = Register('w', self.dtype)
        if r.random() < 0.3:
            self.around += [self.set(s, '0.0', work=lambda: 0.0) for s in self.scalars + [self.other]]
        body = []
        if self.padded:
            step = 8 * SIZE[self.outer] // SIZE[self.dtype]
            body.append(Call('vec_dup', self.lanes, half, r.choice([0.0, -1000.0, 1.0]), room // self.lanes, step))
        if self.keeps:
            body.append(Call('vec_dup', self.lanes, self.result, 0.0, 1, 8))
        body.append(self.moved('in0', half, False))
        body += self.converted(x, half) if half is not x else []
        body += self.row_steps(x) if self.band == 1 and r.random() < 0.7 else self.band_body(x)
        body += self.converted(half, x) if half is not x else []
        body.append(self.moved('out0', half, True))
        if self.keeps:
            place = At('out0', self.dtype, [('core', self.trips * self.per), ('i', self.per)], self.rows * self.apart)
            body.append(Move(place, self.result, 1, 1, (1, 1)))
        load = Move(self.factor, At('in1', self.dtype), 1, self.pitch * SIZE[self.dtype] // BLOCK, (0, 0))
        load.rows = (load.blocks, load.blocks)
        more = ', thread_num=2' if self.trips > 1 and r.random() < 0.3 else ''
        self.body = self.around + [load, Loop('i', self.trips, self.inside + body, more, self.known)]

    def elements(self):
        """Of the output: the rows, and a block for each trip."""
        return self.rows * self.apart + self.rows * self.per

    def source(self, kernel='k'):
        tensor = lambda n, dtype, e: f'{n} = t.Tensor("{dtype}", ({e},), name="{n}", scope=tik.scope_gm)'
        out = [f'# seed {self.seed}', 'from tbe import tik', 't = tik.Tik()', tensor('in0', self.outer, self.rows * self.apart),
               tensor('in1', self.dtype, self.pitch), tensor('tiling', 'int32', 8), tensor('out0', self.outer, self.elements())]
        lines = [l for s in self.body for l in s.lines()]
        if not self.known:
            lines = ['til_ub = t.Tensor("int32", (8,), name="til_ub", scope=tik.scope_ubuf)',
                     't.data_move(til_ub, tiling, 0, 1, 1, 0, 0)', 'count = t.Scalar("int32", name="count")',
                     'count.set_as(til_ub[0])'] + lines
        if self.cores == 1:
            out += ['core = 0'] + lines
        else:
            out += [f'with t.for_range(0, {self.cores}, block_num={self.cores}) as core:'] + ['    ' + l for l in lines]
        out.append(f't.BuildCCE(kernel_name="{kernel}", inputs=[in0, in1, tiling], outputs=[out0])')
        return '\n'.join(out) + '\n'

    def inputs(self):
        """Numbers of everyday sizes; sometimes a part of them is random bits."""
        rng = np.random.default_rng(self.seed)
        wild = rng.random() < 0.3

        def make(dtype, n):
            x = (rng.standard_normal(n) * rng.choice([0.1, 1, 10])).astype(dtype)
            where = rng.random(n) < 0.01 * wild
            x[where] = np.frombuffer(rng.bytes(n * SIZE[dtype]), dtype)[where]
            return x
        return {'in0': make(self.outer, self.rows * self.apart), 'in1': make(self.dtype, self.pitch),
                'tiling': np.array([self.trips] * 8, np.int32)}

    def run(self, inputs):
        """The elements of out0 after all cores ran; None where the model cannot tell a function's last bit."""
        from vector_model import Machine
        out = np.zeros(self.elements(), self.outer)
        for core in range(self.cores):
            m = Machine(PROFILES[self.soc])
            for name, a in dict(inputs, out0=out).items():
                m.memory[name] = np.frombuffer(a.tobytes(), np.uint8).copy()
            env = {'core': core}
            for s in self.body:
                s.run(m, env)
            if m.doubtful:
                return None
            out = m.memory['out0'].view(self.outer)
        return out
