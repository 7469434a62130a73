"""A call at its place in a program of chain.py: where its tensors lie, which of its numbers only the run knows, its
text and its meaning on the numpy model."""
import copy

import numpy as np

from operand import Operands
from vector_model import METHODS, Scalar, View
from vector_model.core import SIZES, UINT
from .batch import FOLDS, slice_text
from .draw import SHORT, At, Handle, Register

SUFFIX = {t: s for s, t in SHORT.items()}
SLOT = 8192      # bytes of a slot
WORK = 16384     # bytes of work tensors, whose contents nobody may rely on
NUMBERS = 256    # a table of 0, 1, 2 ... as int32 at the start of the pool
WILD = (0, -1, 1, 7, 255, 256, 4096, 65536, 2**31 - 1, -2**31)


FOLDING = 1 / 3  # share of numbers that are no literals but values that the compiler folds to constants


def view(name, dtype):
    return f'{name}_{SUFFIX[dtype]}'


class Number:
    """A number that only the run knows."""

    def __init__(self, text, value):
        self.text, self.value = text, value


class Text:
    """Lines that declare Scalars and the like. run(machine, env) may be None."""

    def __init__(self, lines, run):
        self.text, self.meaning = lines, run

    def lines(self, p, depth):
        return self.text

    def run(self, m, env):
        self.meaning(m, env)


class Use:
    """A call at its place in a program."""

    def __init__(self, p, call, loops):
        self.p, self.call = p, call
        r = self.r = p.r
        self.place = {}      # id of a tensor: (slot, byte, [(loop variable, bytes per iteration)])
        self.fill = {}       # id of a tensor: bring in its own contents
        self.local = {}      # id of a tensor with a shape: (name, place in a slot)
        self.loops = loops
        free = list(range(p.slots))
        for t in call.tensors:
            wrote = id(t) in call.written
            if not t.moved and not t.shape:
                continue
            if t.shape:
                self.local[id(t)] = p.fresh('h')
                slot = r.randrange(p.slots)
            else:
                slot = p.last if p.last in free and not wrote and r.random() < 0.6 else r.choice(free)
                free.remove(slot)
            self.place[id(t)] = (slot,) + self.where(t, t.shape)
            self.fill[id(t)] = not t.free or (not wrote and r.random() < 0.2)
            if wrote and not t.shape:
                self.next = slot
        p.last = getattr(self, 'next', p.last)
        self.results = {id(x): (r.randrange(p.slots), 32 * r.randrange(SLOT // 32)) for x in call.d.registers if x.result}
        self.names = {id(x): p.fresh('r') for x in call.d.registers}
        self.changed = {}    # (number of the step, parameter): Number
        self.spelt = {}      # number of the step: Operands
        self.before = []
        self.vary()

    def where(self, t, fixed):
        r, room, moving = self.r, SLOT - t.data.nbytes, []
        for var, trips in self.loops:
            most = room // (32 * (trips - 1)) if trips > 1 and not fixed else 0
            if most and r.random() < 0.4:
                step = 32 * r.randint(1, min(most, 16))
                moving.append((var, step))
                room -= step * (trips - 1)
        return 32 * r.randint(0, room // 32) if r.random() < 0.6 else 0, moving

    # ---- numbers that only the run knows

    def vary(self):
        r, p = self.r, self.p
        for k, (_, given) in enumerate(self.call.d.steps):
            for name in ('mask', 'repeat_times'):
                v = given.get(name)
                if not self.call.shrinks or not isinstance(v, int) or r.random() < 0.85:
                    continue
                fitting = [(var, trips) for var, trips in self.loops if v >= trips]
                if fitting:
                    var, trips = r.choice(fitting)
                    self.changed[k, name] = self.counted(var, v - trips + 1)
                else:
                    self.changed[k, name] = self.table(r.randint(1, v) if v < NUMBERS else NUMBERS - 1)
            if 'scalar' in given and self.call.takes_any_scalar and r.random() < 0.25:
                self.changed[k, 'scalar'] = self.element(self.scalar_type(given))
            self.fold(k, given)
        if p.wild and not p.went_wild and self.call.d.steps:
            self.go_wild()

    # ---- numbers that fold to constants

    def fold(self, k, given):
        """Values that are no literals for the program, and constants for what the passes leave of it."""
        for name, v in given.items():
            if (k, name) in self.changed or isinstance(v, bool) or not isinstance(v, (int, float)):
                continue
            if isinstance(v, int) and (name in FOLDS or name.endswith('_stride')) and self.r.random() < FOLDING:
                self.changed[k, name] = self.folded(k, v)
            elif name == 'scalar' and self.call.takes_any_scalar and abs(v) < 60000 and self.r.random() < FOLDING:
                dtype = self.scalar_type(given)
                if (dtype not in ('float16', 'bfloat16', 'float32')) == isinstance(v, int):
                    self.changed[k, name] = self.constant(dtype, v)

    def constant(self, dtype, v):
        """A Scalar that is set once."""
        name = self.p.fresh('c')
        init = f', init_value={v!r}' if self.r.random() < 0.5 else ''
        self.before.append(Text([f'{name} = t.Scalar("{dtype}", "{name}"{init})'] +
                                ([] if init else [f'{name}.set_as({v!r})']), lambda m, env: None))
        return Number(name, lambda env: v)

    def folded(self, k, v):
        """An int that folds, spelt in one of many ways; loops that it needs stand around the call."""
        ops = self.spelt.setdefault(k, Operands(self.r, None, self.p.numbers, 't',
                                                [var for var, trips in self.loops if trips == 1]))
        return Number(ops.folding(v), lambda env: v)

    def scalar_type(self, given):
        a = given.get('src') or given.get('dst')
        return a.dtype

    def counted(self, var, first):
        return Number(f'{var} + {first}' if first else var, lambda env: env[var] + first)

    def table(self, n):
        """n as a Scalar that is read from memory."""
        name = self.p.fresh('n')
        self.before.append(Text([f'{name} = t.Scalar("int32")', f'{name}.set_as(numbers[{n}])'], None))
        return Number(name, lambda env: n)

    def element(self, dtype):
        """A Scalar with whatever an element of a slot holds."""
        name, slot = self.p.fresh('s'), self.r.randrange(self.p.slots)
        at = self.r.randrange(SLOT // SIZES[dtype])
        self.p.seen.add((slot, dtype))

        def read(m, env):
            env[name] = Scalar(dtype, int(m.memory[f'u{slot}'].view(UINT[SIZES[dtype]])[at]))
        self.before.append(Text([f'{name} = t.Scalar("{dtype}")', f'{name}.set_as({view(f"u{slot}", dtype)}[{at}])'], read))
        return Number(name, lambda env: env[name])

    def go_wild(self):
        """One integer of the call becomes a Scalar with an unlikely value."""
        options = [(k, name) for k, (_, given) in enumerate(self.call.d.steps) for name, v in given.items()
                   if isinstance(v, int) and not isinstance(v, bool)
                   and name in ('mask', 'repeat_times', 'channels', 'm_len') or name.endswith('_stride')]
        if options:
            self.p.went_wild = True
            name = self.p.fresh('w')
            self.before.append(Text([f'{name} = t.Scalar("int32")', f'{name}.set_as(numbers[{self.r.randrange(8)}])',
                                     f'{name}.set_as({name} + {self.r.choice(WILD)})'], None))
            self.changed[self.r.choice(options)] = Number(name, None)

    # ---- as text

    def at(self, t, dtype, element=0):
        """The place of a tensor of this use, as an operand."""
        slot, byte, moving = self.place[id(t)]
        self.p.seen.add((slot, dtype))
        size = SIZES[dtype]
        terms = [f'{var} * {step // size}' for var, step in moving] + [str(byte // size + element)]
        return f'{view(f"u{slot}", dtype)}[{" + ".join(terms)}]'

    def text(self, v):
        if isinstance(v, At):
            t = v.tensor
            if v.shape:
                return self.local[id(t)] + '[' + ', '.join(map(slice_text, v.index)) + ']'
            if id(t) in self.place:
                return self.at(t, t.dtype, v.element)
            self.p.seen.add(('work', t.dtype))
            return f'{view("work", t.dtype)}[{v.element}]'
        if isinstance(v, Register):
            return self.names[id(v)]
        if isinstance(v, Handle):
            return v.name
        if isinstance(v, list):
            return '[' + ', '.join(self.text(x) for x in v) + ']'
        if isinstance(v, float) and not np.isfinite(v):
            return f'float("{v}")'
        return repr(v)

    def lines(self, p, depth):
        out = [f'# {self.call.d.method} {self.call.d.operands} {self.call.d.seed}']
        for s in self.before:
            out += s.lines(p, depth)
        out += self.load_registers()
        for t in self.call.tensors:
            out += self.bring_in(t)
        for k, (method, given) in enumerate(self.call.d.steps):
            line = self.call_line(k, method, given)
            out += copy.copy(self.spelt[k]).around(line) if k in self.spelt else [line]
        for x in self.call.d.registers:
            if x.result:
                slot, byte = self.results[id(x)]
                self.p.seen.add((slot, x.dtype))
                out.append(f'{view(f"u{slot}", x.dtype)}[{byte // SIZES[x.dtype]}].set_as({self.names[id(x)]})')
        for t in self.call.tensors:
            if t.shape and t.moved:
                out.append(f't.data_move({self.at(t, t.dtype)}, {self.local[id(t)]}, 0, 1, {t.data.nbytes // 32}, 0, 0)')
        return out

    def call_line(self, k, method, given):
        parts = []
        for name, v in given.items():
            if name == '->':
                continue
            changed = self.changed.get((k, name))
            what = changed.text if changed else self.text(v)
            parts.append(f'{name[1:]}={what}' if name[0] == '=' else what)
        kept = f'{given["->"].name} = ' if '->' in given else ''
        return f'{kept}t.{method}({", ".join(parts)})'

    def load_registers(self):
        """All Scalars of the call by one move; their contents follow each other in the pool."""
        d = self.call.d
        if not d.registers:
            return []
        first = self.p.pool.place[id(d.registers[0].source or d.registers[0].result)]
        out = [f't.data_move(file, pool[{first}], 0, 1, {len(d.registers)}, 0, 0)']
        for k, x in enumerate(d.registers):
            name = self.names[id(x)]
            self.p.seen.add(('file', x.dtype))
            out.append(f'{name} = t.Scalar("{x.dtype}")')
            out.append(f'{name}.set_as({view("file", x.dtype)}[{32 * k // SIZES[x.dtype]}])')
        return out

    def bring_in(self, t):
        out = []
        if t.shape:
            out.append(f'{self.local[id(t)]} = t.Tensor("{t.dtype}", {t.shape}, name="{self.local[id(t)]}", '
                       'scope=tik.scope_ubuf)')
        if not t.moved:
            return out
        blocks = t.data.nbytes // 32
        to = self.local[id(t)] if t.shape else self.at(t, 'uint8')
        if self.fill[id(t)]:
            source = f'pool[{self.p.pool.place[id(t)]}]'
            if t.shape:
                self.p.typed.add(t.dtype)
                source = f'pool_{SUFFIX[t.dtype]}[{self.p.pool.place[id(t)] // SIZES[t.dtype]}]'
            out.append(f't.data_move({to}, {source}, 0, 1, {blocks}, 0, 0)')
        elif t.shape:
            out.append(f't.data_move({to}, {self.at(t, t.dtype)}, 0, 1, {blocks}, 0, 0)')
        return out

    # ---- on the model

    def run(self, m, env):
        for s in self.before:
            if s.meaning:
                s.run(m, env)
        registers = {id(x): Scalar(x.dtype, int((x.source or x.result).data[0])) for x in self.call.d.registers}
        bases = {id(t): self.base(m, t, env) for t in self.call.tensors}

        def value(v):
            if isinstance(v, At):
                b = bases[id(v.tensor)]
                if v.shape:
                    return View(b.buffer, b.offset, v.dtype, v.shape)[v.index]
                return View(b.buffer, b.offset + v.element * SIZES[v.dtype], v.dtype, (b.shape[0] - v.element,))
            if isinstance(v, Register):
                return registers[id(v)]
            return [value(x) for x in v] if isinstance(v, list) else v

        for k, (method, given) in enumerate(self.call.d.steps):
            METHODS[method](m, **{name.lstrip('='): self.changed[k, name].value(env) if (k, name) in self.changed
                                  else value(v) for name, v in given.items() if name != '->'})
        for x in self.call.d.registers:
            if x.result:
                slot, byte = self.results[id(x)]
                m.memory[f'u{slot}'].view(UINT[SIZES[x.dtype]])[byte // SIZES[x.dtype]] = registers[id(x)].bits
        for t in self.call.tensors:
            if t.shape and t.moved:
                slot, start = self.start(t, env)
                m.memory[f'u{slot}'][start:start + t.data.nbytes] = m.memory[self.local[id(t)]]

    def start(self, t, env):
        slot, byte, moving = self.place[id(t)]
        return slot, byte + sum(env[var] * step for var, step in moving)

    def base(self, m, t, env):
        if not t.moved and not t.shape:
            return m.tensor('work', t.dtype, np.zeros(WORK, np.uint8))
        slot, start = self.start(t, env)
        memory = m.memory[f'u{slot}']
        if t.moved and self.fill[id(t)]:
            if not t.shape:
                memory[start:start + t.data.nbytes] = t.data.view(np.uint8)
            else:
                return m.tensor(self.local[id(t)], t.dtype, t.data)
        if t.shape:
            return m.tensor(self.local[id(t)], t.dtype, memory[start:start + t.data.nbytes])
        return View(f'u{slot}', start, t.dtype, (t.data.size,))
