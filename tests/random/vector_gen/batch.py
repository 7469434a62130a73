"""Many instances as one program: its text, its inputs, and what the model says of its outputs."""
import random

import numpy as np

from operand import Names, Operands
from vector_model import METHODS, Machine, Scalar, View, choices_of
from vector_model.core import SIZES, UINT
from .draw import At, Handle, Register

BITS = {t: i for i, t in enumerate(('uint8', 'int8', 'uint16', 'int16', 'float16', 'bfloat16', 'uint32', 'int32',
                                    'float32', 'uint64', 'int64', 'bool'))}
TENSOR = '{0} = tik_instance.Tensor("{1}", {2}, name="{0}", scope=tik.scope_{3})'
FOLDS = ('mask', 'repeat_times', 'channels', 'm_len')   # integers that may be Scalars, beside strides
SLACK = 512   # bytes after the longest contents of a tensor: exact bounds are the business of other tests


def slice_text(s):
    return f'{s.start}:{s.stop}' + (f':{s.step}' if s.step != 1 else '')


class Batch:
    """instances share the tensors of the program: slots, one row per dtype. choices: 'U8=directed' ..."""

    def __init__(self, processor, instances, choices=()):
        self.processor, self.instances, self.choices = processor, instances, choices
        self.room = {}       # slot: (dtype, bytes)
        self.image = {}      # dtype: [bytes of every moved tensor]
        self.place = {}      # id of a tensor: element in the image
        self.names = Names()
        end = {}
        for number, d in enumerate(instances):
            used = {}
            for t in d.tensors:
                k = used[t.dtype] = used.get(t.dtype, -1) + 1
                t.slot = f't{BITS[t.dtype]}_{k}' + (f'_{number}' if t.shape else '')
                if not t.shape:
                    old = self.room.get(t.slot, (t.dtype, 0))[1]
                    self.room[t.slot] = (t.dtype, max(old, t.data.nbytes + SLACK))
                if t.moved:
                    self.image.setdefault(t.dtype, []).append(t.data.tobytes())
                    self.place[id(t)] = end.get(t.dtype, 0)
                    end[t.dtype] = self.place[id(t)] + len(t.data)

    def inputs(self):
        return {f'in{BITS[t]}': b''.join(rows) for t, rows in self.image.items()}

    # ---- as a program

    def source(self):
        lines = ['from tbe import tik', 'tik_instance = tik.Tik()']
        for dtype, rows in self.image.items():
            n = sum(map(len, rows)) // SIZES[dtype]
            lines += [TENSOR.format(f'{way}{BITS[dtype]}', dtype, (n,), 'gm') for way in ('in', 'out')]
        for slot, (dtype, room) in sorted(self.room.items()):
            lines.append(TENSOR.format(slot, dtype, (room // SIZES[dtype],), 'ubuf'))
        for d in self.instances:
            lines += self.lines(d)
        names = [f'{{0}}{BITS[t]}' for t in self.image]
        lines.append('tik_instance.BuildCCE(kernel_name="batch", inputs=[%s], outputs=[%s])' % (
            ', '.join(n.format('in') for n in names), ', '.join(n.format('out') for n in names)))
        return '\n'.join(lines) + '\n'

    def move(self, t, inwards):
        blocks = t.data.nbytes // 32
        image = f'{"in" if inwards else "out"}{BITS[t.dtype]}[{self.place[id(t)]}]'
        dst, src = (t.slot, image) if inwards else (image, t.slot)
        return f'tik_instance.data_move({dst}, {src}, 0, 1, {blocks}, 0, 0)'

    def lines(self, d):
        moved = [t for t in d.tensors if t.moved]
        spelling = random.Random(d.seed)
        out = [f'# {d.method} {d.operands} {d.seed}']
        out += [TENSOR.format(t.slot, t.dtype, t.shape, 'ubuf') for t in d.tensors if t.shape]
        out += [self.move(t, True) for t in moved]
        for k, r in enumerate(d.registers):
            r.name = f'r{k}'
            out.append(f'r{k} = tik_instance.Scalar("{r.dtype}")')
            out.append(f'r{k}.set_as({(r.source or r.result).slot}[0])')
        for method, arguments in d.steps:
            ops = Operands(spelling, None, self.names, 'tik_instance')
            given = ', '.join(self.argument(ops, p, v) if p[0] != '=' else f'{p[1:]}={self.argument(ops, p[1:], v)}'
                              for p, v in arguments.items() if p != '->')
            kept = f'{arguments["->"].name} = ' if '->' in arguments else ''
            out += ops.around(f'{kept}tik_instance.{method}({given})')
        out += [f'{r.result.slot}[0].set_as({r.name})' for r in d.registers if r.result]
        return out + [self.move(t, False) for t in moved]

    def argument(self, ops, name, v):
        """Half of the literals that may be Scalars are numbers that fold."""
        if isinstance(v, int) and not isinstance(v, bool) and (name in FOLDS or name.endswith('_stride')):
            return ops.number(v)
        return self.text(v)

    def text(self, v):
        if isinstance(v, At):
            slot = v.tensor.slot
            if v.shape:
                return slot + '[' + ', '.join(map(slice_text, v.index)) + ']'
            return f'{slot}[{v.element}]' if v.element else slot
        if isinstance(v, (Register, Handle)):
            return v.name
        if isinstance(v, list):
            return '[' + ', '.join(self.text(x) for x in v) + ']'
        if isinstance(v, float) and not np.isfinite(v):
            return f'float("{v}")'
        return repr(v)

    # ---- on the model

    def expected(self):
        """Runs all instances on one machine: {dtype: bytes of the output image}."""
        m = self.machine = Machine(self.instances[0].profile, choices_of(self.choices))
        for d in self.instances:
            self.run(m, d)
        return {t: b''.join(x.after.tobytes() for d in self.instances for x in d.tensors if x.moved and x.dtype == t)
                for t in self.image}

    def run(self, m, d):
        views = {id(t): m.tensor(t.slot, t.dtype, t.data) for t in d.tensors}
        registers = {id(r): Scalar(r.dtype, int((r.source or r.result).data[0])) for r in d.registers}

        def value(v):
            if isinstance(v, At):
                base = views[id(v.tensor)]
                start = base.offset + v.element * SIZES[v.dtype]
                if v.shape:
                    return View(base.buffer, start, v.dtype, v.shape)[v.index]
                return View(base.buffer, start, v.dtype, (len(v.tensor.data) - v.element,))
            if isinstance(v, Register):
                return registers[id(v)]
            return [value(x) for x in v] if isinstance(v, list) else v

        for method, arguments in d.steps:
            METHODS[method](m, **{p.lstrip('='): value(v) for p, v in arguments.items() if p != '->'})
        for r in d.registers:
            if r.result:
                m.memory[r.result.slot].view(UINT[SIZES[r.dtype]])[0] = registers[id(r)].bits
        for t in d.tensors:
            t.after = m.memory[t.slot].view(UINT[SIZES[t.dtype]]).copy()

    def blame(self, got):
        """[(instance, text)] for output images that differ: {dtype: bytes}."""
        out = []
        for d in self.instances:
            for t in d.tensors:
                if not t.moved:
                    continue
                size, at = SIZES[t.dtype], self.place[id(t)]
                have = np.frombuffer(got[t.dtype][at * size:(at + len(t.data)) * size], UINT[size])
                wrong = np.array([k for k in np.nonzero(have != t.after)[0]
                                  if (int(t.after[k]), int(have[k])) not in self.machine.doubtful], np.int64)
                if len(wrong):
                    k = int(wrong[0])
                    out.append((d, f'{t.slot}[{k}] is {have[k]:x}, the model says {t.after[k]:x} (before {t.data[k]:x}); '
                                   f'{len(wrong)} elements differ'))
                    break
        return out
