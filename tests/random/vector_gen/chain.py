"""Random programs of vector calls: calls that draw.py knows to be legal, put together so that they work on what the
calls before them left.

    pool = chain.Pool(processor, seed, calls)    calls to choose from, and their contents, which programs share
    program = chain.Program(pool, seed)
    program.source('k'), program.run()           as text, and on the numpy model

On-core memory is a few slots of bytes that calls see as the element types they need. A tensor of a call lies
anywhere in a slot; it is filled with the contents that were drawn for it when the call depends on them (offsets of a
gather, sorted lists, ...), sometimes when it does not, and else keeps what is there. In the end all slots go to
global memory. Calls stand in loops and branches, on one core or more; a part of the numbers is known only while
running. Some programs end in an instruction with a wild number, which mostly breaks a rule.

A program is a tree of statements: each has lines(program, depth), its text, and run(machine, env), its
meaning. Numbers that only the run knows are texts of the language (a Scalar, a sum) with a function of env.
"""
import random

import numpy as np

from operand import Names
from vector_model import METHODS, Machine, View
from vector_model.core import SIZES, UINT
from . import draw
from .chain_use import NUMBERS, SLOT, SUFFIX, WORK, Text, Use, view
from .draw import FAMILIES, PROCESSORS, At, Draw

SLOTS = 6     # most slots of a program
LATE = 0.02   # share of integers that only the run knows: each costs a check of the whole instruction
KINDS = 40    # methods with their types that the calls of a pool are of: their code is shared
WRITTEN = ('dst', 'dst_list', 'dst_index', 'mask_tensor')
# Families whose calls stay legal with fewer lanes or repeats, when destination and sources are apart.
SHRINK = ('binary', 'ternary', 'vector_scalar', 'unary', 'conversion', 'fill', 'copy')


def every_method(processor):
    return [m for m in sorted(FAMILIES) if draw.types(m, processor)]


class Call:
    """A drawn call, prepared for any number of uses."""

    def __init__(self, d):
        self.d = d
        self.family = FAMILIES[d.method].__name__
        held = {id(t) for r in d.registers for t in (r.source, r.result) if t}
        self.tensors = [t for t in d.tensors if id(t) not in held]
        self.written = {id(a.tensor) for _, given in d.steps for p, v in given.items() if p.lstrip('=') in WRITTEN
                        for a in (v if isinstance(v, list) else [v]) if isinstance(a, At)}
        apart = [id(v.tensor) for _, given in d.steps for v in given.values() if isinstance(v, At)]
        self.takes_any_scalar = (self.family in ('vector_scalar', 'axpy', 'compare_scalar', 'fill')
                                 and d.method not in ('vshl', 'vshr'))
        self.shrinks = (self.family in SHRINK and len(set(apart)) == len(apart)
                        and not any('=mask_mode' in given for _, given in d.steps))

    def fits(self):
        slots = sum(t.moved and not t.shape for t in self.tensors)
        work = [t.data.nbytes for t in self.tensors if not t.moved and not t.shape]
        self.slots = slots
        return (slots <= SLOTS and all(t.data.nbytes <= SLOT for t in self.tensors if t.moved or t.shape)
                and len(work) <= 1 and sum(work) <= WORK)


class Pool:
    """Calls to choose from. image: the contents of all their tensors after the table of numbers."""

    def __init__(self, processor, seed, calls):
        self.processor, self.profile = processor, PROCESSORS[processor][0]
        r = random.Random(seed)
        methods = every_method(processor)
        allowed = frozenset(methods)
        families = {}
        for m in methods:
            families.setdefault(FAMILIES[m], []).append(m)
        families = list(families.values())
        kinds = []
        for _ in range(KINDS):
            m = r.choice(methods) if r.random() < 0.5 else r.choice(r.choice(families))
            kinds.append((m, r.choice(draw.types(m, processor))))
        self.calls = []
        while len(self.calls) < calls:
            m, operands = r.choice(kinds)
            call = Call(Draw(m, processor, operands, r.getrandbits(40), allowed, LATE))
            if call.fits():
                self.calls.append(call)
        self.has_cmpmask = 'mov_tensor_to_cmpmask' in allowed
        self.modes = [m for m in ('set_fp2fp_mode', 'set_fp2int_mode') if m in allowed]
        self.make_image()

    def make_image(self):
        self.place = {}
        parts, end = [np.arange(NUMBERS, dtype=np.int32).tobytes()], 4 * NUMBERS
        for call in self.calls:
            registers = [r.source or r.result for r in call.d.registers]
            others = [t for t in call.tensors if t.moved]
            for t in registers + others:   # those of Scalars one after the other
                self.place[id(t)] = end
                parts.append(t.data.tobytes())
                end += len(parts[-1])
        short = max(SLOT + 4096 - end, 0)
        self.image = b''.join(parts + [bytes(short)])


# ---- statements --------------------------------------------------------------------------------------------------


class Block:
    """Statements one after the other."""

    def __init__(self, body):
        self.body = body

    def lines(self, p, depth):
        return [line for s in self.body for line in s.lines(p, depth)]

    def run(self, m, env):
        for s in self.body:
            s.run(m, env)


def indent(lines):
    return ['    ' + line for line in lines]


class Loop(Block):
    def __init__(self, var, trips, bound, threads, body):
        super().__init__(body)
        self.var, self.trips, self.bound, self.threads = var, trips, bound, threads

    def lines(self, p, depth):
        out = []
        end = str(self.trips)
        if self.bound:
            end = self.bound
            out = [f'{end} = t.Scalar("int32")', f'{end}.set_as(numbers[{self.trips}])']
        threads = f', thread_num={self.threads}' if self.threads > 1 else ''
        out.append(f'with t.for_range(0, {end}{threads}) as {self.var}:')
        return out + indent(super().lines(p, depth + 1))

    def run(self, m, env):
        for i in range(self.trips):
            env[self.var] = i
            super().run(m, env)


class Branch:
    """left: text of the left side of the comparison; value(m, env): its value."""

    def __init__(self, before, left, op, right, value, then, other):
        self.before, self.left, self.op, self.right = before, left, op, right
        self.value, self.then, self.other = value, then, other

    def lines(self, p, depth):
        out = self.before + [f'with t.if_scope({self.left} {self.op} {self.right}):'] + indent(self.then.lines(p, depth + 1))
        if self.other:
            out += ['with t.else_scope():'] + indent(self.other.lines(p, depth + 1))
        return out

    def run(self, m, env):
        a, b = self.value(m, env), self.right
        if {'<': a < b, '<=': a <= b, '==': a == b, '!=': a != b, '>': a > b, '>=': a >= b}[self.op]:
            self.then.run(m, env)
        elif self.other:
            self.other.run(m, env)


# ---- programs --------------------------------------------------------------------------------------------------


class Program:
    def __init__(self, pool, seed):
        self.pool, self.seed = pool, seed
        r = self.r = random.Random(seed)
        self.names = 0
        self.numbers = Names()
        self.last = 0           # slot that was written last
        self.seen = set()       # (slot, dtype): views that the text needs
        self.typed = set()      # dtypes of global views
        self.cores = r.choice((1, 1, 1, 1, 2, 3)) if pool.processor not in ('Ascend310', 'Ascend310B1') else 1
        self.slots = r.choice((3, 3, 3, 4, 4, 5, 6))
        self.wild = r.random() < 0.04
        self.went_wild = False
        self.first = [32 * r.randrange((len(pool.image) - SLOT - 96) // 32) for _ in range(self.slots)]
        self.body = Block(self.statements(r.choice((3, 3, 3, 3, 4, 4, 5, 6, 8)), [], 1))

    def fresh(self, stem):
        self.names += 1
        return f'{stem}{self.names}'

    def statements(self, n, loops, runs):
        """n calls, in statements of any kind. runs: how often they run."""
        r, out = self.r, []
        while n > 0:
            kind = r.random()
            some = r.randint(1, min(n, 3))
            if kind < 0.12 and runs <= 3 and len(loops) < 2:
                out.append(self.loop(some, loops, runs))
            elif kind < 0.2:
                out += self.branch(some, loops, runs)
            elif kind < 0.26:
                out.append(self.local_move())
                continue
            elif kind < 0.3:
                out.append(self.state())
                continue
            else:
                some = 1
                out.append(Use(self, self.choose(), loops))
            n -= some
        return out

    def choose(self):
        while True:
            call = self.r.choice(self.pool.calls)
            if call.slots <= self.slots:
                return call

    def loop(self, some, loops, runs):
        r = self.r
        var, trips = self.fresh('i'), r.choice((1, 2, 2, 3) if runs == 1 else (1, 2))
        bound = self.fresh('e') if r.random() < 0.3 else None
        return Loop(var, trips, bound, r.choice((1, 1, 1, 2)),
                    self.statements(some, loops + [(var, trips)], runs * trips))

    def branch(self, some, loops, runs):
        r = self.r
        op, right, kind = r.choice(('<', '<=', '==', '!=', '>', '>=')), r.randint(0, 3), r.random()
        before = []
        if loops and kind < 0.4:
            left = r.choice(loops)[0]

            def value(m, env):
                return env[left]
        elif kind < 0.7:
            left, n = self.fresh('c'), r.randint(0, 3)
            before = [f'{left} = t.Scalar("int32")', f'{left}.set_as(numbers[{n}])']

            def value(m, env):
                return n
        else:
            left, slot, at = self.fresh('c'), r.randrange(self.slots), r.randrange(SLOT // 4)
            before = [f'{left} = t.Scalar("int32")', f'{left}.set_as({view(f"u{slot}", "int32")}[{at}])']
            self.seen.add((slot, 'int32'))

            def value(m, env):
                return int(m.memory[f'u{slot}'].view(np.int32)[at])
        then = Block(self.statements(some, loops, runs))
        other = Block(self.statements(1, loops, runs)) if r.random() < 0.5 else None
        return [Branch(before, left, op, right, value, then, other)]

    def local_move(self):
        r = self.r
        to, of = r.sample(range(self.slots), 2)
        n, burst, gap, gap2 = r.randint(1, 4), r.randint(1, 40), r.choice((0, 0, 1, 3)), r.choice((0, 0, 2))
        a, b = [32 * r.randint(0, SLOT // 32 - n * burst - (n - 1) * g) for g in (gap2, gap)]

        def run(m, env):
            for k in range(n):
                x, y = a + 32 * k * (burst + gap2), b + 32 * k * (burst + gap)
                m.memory[f'u{to}'][x:x + 32 * burst] = m.memory[f'u{of}'][y:y + 32 * burst]
        self.last = to
        return Text([f't.data_move(u{to}[{a}], u{of}[{b}], 0, {n}, {burst}, {gap}, {gap2})'], run)

    def state(self):
        """Reads CMPMASK as the calls before left it, leaves a mode of conversions set, or brings a slice in."""
        r = self.r
        if r.random() < 0.3:
            return self.slice_in()
        if self.pool.modes and r.random() < 0.4:
            mode, on = r.choice(self.pool.modes), r.randint(0, 1)
            return Text([f't.{mode}({on})'], lambda m, env: METHODS[mode](m, on))
        slot, byte = r.randrange(self.slots), 32 * r.randrange(SLOT // 32)
        if not self.pool.has_cmpmask:
            return Text([f'u{slot}[{byte}].set_as({byte // 64})'],
                        lambda m, env: m.memory[f'u{slot}'].__setitem__(byte, byte // 64))
        self.last = slot
        return Text([f't.mov_cmpmask_to_tensor(u{slot}[{byte}], m)'],
                    lambda m, env: m.mov_cmpmask_to_tensor(View(f'u{slot}', byte, 'uint8', (16,))))

    def slice_in(self):
        """Elements of the pool, in steps."""
        r = self.r
        slot, dtype = r.randrange(self.slots), r.choice(('uint8', 'int16', 'float16', 'int32', 'float32'))
        size, n = SIZES[dtype], r.randint(1, 200)
        step = r.choice((1, 1, 2, 3))
        a, b = [r.randrange(most // size - n * step) for most in (SLOT, len(self.pool.image))]
        self.seen.add((slot, dtype))
        self.typed.add(dtype)

        def run(m, env):
            to = m.memory[f'u{slot}'].view(UINT[size])
            to[a:a + n * step:step] = np.frombuffer(self.pool.image, UINT[size])[b:b + n * step:step]
        self.last = slot
        return Text([f't.h_data_move({view(f"u{slot}", dtype)}[{a}:{a + n * step}:{step}], '
                     f'pool_{SUFFIX[dtype]}[{b}:{b + n * step}:{step}])'], run)

    # ---- as text

    def source(self, kernel='k'):
        body = self.body.lines(self, 0)
        out = ['t = tik.Tik()']
        tensor = '{0} = t.Tensor("uint8", ({1},), name="{0}", scope=tik.scope_{2})'.format
        out += [tensor('pool', len(self.pool.image), 'gm'), tensor('out', self.cores * self.slots * SLOT, 'gm')]
        out += [f'pool_{SUFFIX[d]} = pool.reinterpret_cast_to("{d}")' for d in sorted(self.typed)]
        inner = [tensor(f'u{k}', SLOT, 'ubuf') for k in range(self.slots)]
        inner += [tensor('work', WORK, 'ubuf'), tensor('file', 32 * 32, 'ubuf')]
        inner.append(f'numbers = t.Tensor("int32", ({NUMBERS},), name="numbers", scope=tik.scope_ubuf)')
        for slot, dtype in sorted(self.seen, key=str):
            base = slot if isinstance(slot, str) else f'u{slot}'
            inner.append(f'{view(base, dtype)} = {base}' + (f'.reinterpret_cast_to("{dtype}")' if dtype != 'uint8' else ''))
        inner.append(f't.data_move(numbers, pool.reinterpret_cast_to("int32"), 0, 1, {NUMBERS // 8}, 0, 0)')
        core = 'core * 32 + ' if self.cores > 1 else ''
        inner += [f't.data_move(u{k}, pool[{core}{first}], 0, 1, {SLOT // 32}, 0, 0)' for k, first in enumerate(self.first)]
        if self.pool.has_cmpmask:
            inner.append('m = t.mov_tensor_to_cmpmask(u0)')
        inner += body
        core = f'core * {self.slots * SLOT} + ' if self.cores > 1 else ''
        inner += [f't.data_move(out[{core}{k * SLOT}], u{k}, 0, 1, {SLOT // 32}, 0, 0)' for k in range(1, self.slots)]
        inner.append(f't.h_data_move(out[{core}0:{core}{SLOT}], u0)' if self.seed % 4 == 0 else
                     f't.data_move(out[{core}0], u0, 0, 1, {SLOT // 32}, 0, 0)')
        if self.cores > 1:
            out.append(f'with t.for_range(0, {self.cores}, block_num={self.cores}) as core:')
            inner = indent(inner)
        out += inner
        out.append(f't.BuildCCE(kernel_name="{kernel}", inputs=[pool], outputs=[out])')
        return '\n'.join(out) + '\n'

    # ---- on the model

    def run(self):
        """(bytes of out, whether the model is sure of every bit)"""
        out, sure = b'', True
        for core in range(self.cores):
            m = Machine(self.pool.profile)
            for k, first in enumerate(self.first):
                start = first + 32 * core
                m.tensor(f'u{k}', 'uint8', np.frombuffer(self.pool.image[start:start + SLOT], np.uint8))
            if self.pool.has_cmpmask:
                m.mov_tensor_to_cmpmask(View('u0', 0, 'uint8', (SLOT,)))
            self.body.run(m, {})
            out += b''.join(m.memory[f'u{k}'].tobytes() for k in range(self.slots))
            sure = sure and not m.doubtful
        return out, sure


def module(programs):
    """The text of programs of one pool: kernels k0, k1 ..."""
    return 'from tbe import tik\n' + ''.join(p.source(f'k{i}') for i, p in enumerate(programs))
