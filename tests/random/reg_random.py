#!/usr/bin/python3
"""Random kernels of vector registers: loads and stores in every mode, conversions, interleaving, histograms and
arithmetic on a few registers, on native code at two optimisation levels, on the emulator and on the numpy model
(reg_model): every byte of what they store. Counts and numbers are constants or Scalars that the kernel loads. Among
what 60 kernels or more ran, each instruction on registers must be. Then the cases of tests/golden/reg, which were
computed by hand.

TIKC_KERNELS sets the number of kernels (250), TIKC_SEED the first seed (1). A failure prints a command that runs
its kernel alone. Ends with 'N passed, N failed'.
usage: reg_random.py [SEED]    with a seed: prints that program and what differs"""
import os
import random
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD  # noqa
from differential import results  # noqa: E402
from isa_rows import register_rows  # noqa: E402
from operand import Operands  # noqa: E402
from reg_model import BINARY, BYTES, SCALAR, UNARY, Registers  # noqa: E402
from vector_gen import values  # noqa: E402
from vector_gen.draw import TYPES  # noqa: E402
from vector_model.core import SIZES, UINT  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, '../golden/reg/cases.tsv')
# Processors with registers, by their bit in the tables of types.
SOCS = {'Ascend310B1': 12, 'AS31XM1X': 14, 'Ascend610Lite': 18, 'BS9SX2AA': 19, 'MC61AM21AA': 20}
WIDE = ('uint8', 'int8', 'uint16', 'int16', 'float16', 'uint32', 'int32', 'float32')
INTEGERS = {1: ('uint8', 'int8'), 2: ('uint16', 'int16')}
UB = 4096        # bytes of each tensor
STEPS = 14       # calls of a kernel
TOGETHER = 60    # kernels of one run


def casts():
    """(source, destination, rounding modes), as typeset.def has them."""
    out, modes = [], ['', 'round', 'floor', 'ceil', 'away-zero', 'to-zero', 'odd']
    for operands, _ in TYPES['vector_cast']:
        src, dst = operands.split('>')
        out.append((src, dst, [m for i, m in enumerate(modes) if can_round(src, dst) or i < 2]
                    if dst == 'float16' and src == 'float32' else
                    [m for i, m in enumerate(modes[:6]) if can_round(src, dst) or i < 2]))
    return out


def can_round(src, dst):
    if 'float' in src:
        return dst != 'float32'
    return (src, dst) in (('int32', 'float32'), ('int16', 'float16'))


CASTS = casts()


class Kernel:
    def __init__(self, seed):
        self.seed = seed
        self.rnd, self.rng = random.Random(seed), np.random.default_rng(seed)
        self.soc = self.rnd.choice(sorted(SOCS))
        self.model = Registers()
        self.lines, self.numbers = [], []
        self.ops = Operands(self.rnd, self.late)
        self.called = set()   # rows of op.def
        self.inputs = {}
        self.outs = {}
        for k in range(3):
            self.tensor(f'u{k}')
        self.free = list(self.model.memory)
        self.out = [0, 0]
        self.model.memory['out'] = np.frombuffer(self.rnd.randbytes(4 * UB), np.uint8).copy()
        self.inputs['out'] = self.model.memory['out'].tobytes()
        names = []
        for k in range(self.rnd.randint(3, 6)):
            names.append(self.vector(self.rnd.choice(WIDE)))
        for _ in range(STEPS):
            self.step()
        for name in list(self.model.types):
            self.store(name, 'NORM', None)

    def tensor(self, name):
        dtype = self.rnd.choice(WIDE)
        data = values.contents(self.rng, dtype, UB // SIZES[dtype])
        self.inputs[name] = np.ascontiguousarray(data).tobytes()
        self.model.memory[name] = np.frombuffer(self.inputs[name], np.uint8).copy()

    def vector(self, dtype):
        """A new register, loaded."""
        name = f'v{len(self.model.types)}'
        self.model.vector(name, dtype, bytes(BYTES))
        self.lines.append(f'{name} = t.Vector("{dtype}", "{name}")')
        self.load(name, 'NORM')
        return name

    def pick(self, *dtypes):
        """A register of one of the types, a new one where there is none or sometimes."""
        have = [n for n, t in self.model.types.items() if t in dtypes]
        room = len(self.model.types) < 30
        if have and (not room or self.rnd.random() < 0.8):
            return self.rnd.choice(have)
        return self.vector(self.rnd.choice(dtypes)) if room else None

    def late(self, value):
        self.numbers.append(value)
        return f'n[{len(self.numbers) - 1}]'

    def number(self, value):
        """An integer as it stands in the program."""
        return self.ops.number(value)

    def put(self, line):
        """A call, with what its numbers need."""
        self.lines += self.ops.around(line)

    def mask(self, lanes):
        """(mask of the model, its text)"""
        kind = self.rnd.random()
        if kind < 0.4:
            return None, 'None'
        if kind < 0.8:
            n = self.rnd.choice((1, lanes, self.rnd.randint(1, lanes)))
            return n, self.number(n)
        words = [self.rnd.getrandbits(64) for _ in range(4 if lanes == 256 else 2)]
        if lanes < 128:
            words = [0, words[1] & (2**lanes - 1)]
        words[-1] |= 1
        return words, '[' + ', '.join(map(hex, words)) + ']'

    # ---- calls

    def load(self, dst, mode):
        names = dst if isinstance(dst, tuple) else (dst,)
        dtype = self.model.types[names[0]]
        size = SIZES[dtype]
        unit = {'BRC': size, 'E2B': min(8 * size, 32)}.get(mode, 32)
        at = self.rnd.randrange((UB - 2 * BYTES) // unit) * unit
        seen = self.rnd.choice(INTEGERS[size // 2]) if mode == 'UNPK' else dtype
        tensor = self.rnd.choice(self.free)
        self.model.vector_load(dst, (tensor, at), mode)
        self.called.add('vector_load.two' if isinstance(dst, tuple) else 'vector_load')
        text = f'[{", ".join(names)}]' if isinstance(dst, tuple) else dst
        shown = '' if mode == 'NORM' and self.rnd.random() < 0.5 else f', "{mode}"'
        self.put(f't.vector_load({text}, {tensor}.reinterpret_cast_to("{seen}")'
                 f'[{self.number(at // SIZES[seen])}]{shown})')

    def store(self, src, mode, mask):
        names = src if isinstance(src, tuple) else (src,)
        dtype = self.model.types[names[0]]
        size, lanes = SIZES[dtype], BYTES // SIZES[dtype]
        on, text = (None, 'None') if mask is None else self.mask(lanes)
        seen = self.rnd.choice(INTEGERS[size // 2]) if mode == 'PK' else dtype
        at = self.out[0]
        if at + 2 * BYTES > 4 * UB:
            return
        self.out[0] += 2 * BYTES
        self.model.vector_store(('out', at), src, mode, on)
        self.called.add('vector_store.two' if isinstance(src, tuple) else 'vector_store')
        regs = f'[{", ".join(names)}]' if isinstance(src, tuple) else src
        self.put(f't.vector_store(out.reinterpret_cast_to("{seen}")[{at // SIZES[seen]}], {regs}, "{mode}", '
                 f'{text})')

    def step(self):
        r = self.rnd
        kind = r.choice(('load', 'load2', 'store', 'store2', 'cast', 'cast', 'lace', 'hist', 'dup', 'binary', 'binary',
                         'scalar', 'unary'))
        getattr(self, 'do_' + kind)()

    def do_load(self):
        mode = self.rnd.choice(('BRC', 'US', 'DS', 'UNPK', 'E2B'))
        types = [t for t in WIDE if SIZES[t] in {'BRC': (1, 2, 4), 'US': (1, 2), 'DS': (1, 2)}.get(mode, (2, 4))]
        name = self.pick(*types)
        if name:
            self.load(name, mode)

    def two(self, types):
        a = self.pick(*types)
        b = self.pick(self.model.types[a]) if a else None
        for _ in range(4):
            if a == b and b:
                b = self.pick(self.model.types[a])
        return (a, b) if b and a != b else None

    def do_load2(self):
        mode = self.rnd.choice(('BDINTLV', 'DINTLV'))
        pair = self.two([t for t in WIDE if mode == 'BDINTLV' or SIZES[t] < 4])
        if pair:
            self.load(pair, mode)

    def do_store(self):
        mode = self.rnd.choice(('NORM', 'ONEPT', 'PK'))
        name = self.pick(*[t for t in WIDE if mode != 'PK' or SIZES[t] > 1])
        if name:
            self.store(name, mode, True)

    def do_store2(self):
        a = self.pick(*[t for t in WIDE if SIZES[t] < 3])
        b = self.pick(self.model.types[a]) if a else None
        if b:
            self.store((a, b), 'INTLV', True)

    def do_cast(self):
        src_type, dst_type, modes = self.rnd.choice(CASTS)
        src, dst = self.pick(src_type), self.pick(dst_type)
        if not src or not dst:
            return
        sizes = sorted((SIZES[src_type], SIZES[dst_type]))
        part = {1: None, 2: self.rnd.choice(('PART_EVEN', 'PART_ODD')),
                4: self.rnd.choice(('PART_P0', 'PART_P1', 'PART_P2', 'PART_P3'))}[sizes[1] // sizes[0]]
        mode, saturate = self.rnd.choice(modes), self.rnd.random() < 0.5
        on, text = self.mask(BYTES // sizes[1])
        self.model.vector_cast(on, dst, src, saturate, part, mode)
        self.called.add('vector_cast')
        self.put(f't.vector_cast({text}, {dst}, {src}, {saturate}, {part!r}, {mode!r})')

    def do_lace(self):
        method = self.rnd.choice(('vector_vintlv', 'vector_vdintlv'))
        pair = self.two(WIDE)
        if not pair:
            return
        t = self.model.types[pair[0]]
        src = self.pick(t), self.pick(t)
        if None in src:
            return
        getattr(self.model, method)(*pair, *src)
        self.called.add(method)
        dtype = self.rnd.choice(('', f', "{t}"', ', None'))
        self.lines.append(f't.{method}({pair[0]}, {pair[1]}, {src[0]}, {src[1]}{dtype})')

    def do_hist(self):
        pair, src = self.two(('uint16',)), self.pick('uint8')
        if pair and src:
            on, text = self.mask(BYTES)
            self.model.vector_vdhistv2(on, *pair, src)
            self.called.add('vector_vdhistv2')
            self.put(f't.vector_vdhistv2({text}, {pair[0]}, {pair[1]}, {src})')

    def types_of(self, method):
        return [t for t, cores in TYPES[method] if cores >> SOCS[self.soc] & 1]

    def literal(self, dtype):
        if 'float' in dtype:
            return self.rnd.choice((0.0, -0.0, 1.5, -2.25, 1e-3, 600.0, 3.0))
        hi = 2**(8 * SIZES[dtype]) - 1
        return self.rnd.choice((0, 1, 5, hi)) if dtype[0] == 'u' else self.rnd.choice((0, 1, -1, hi // 2, -(hi // 2) - 1))

    def arithmetic(self, method, registers, scalar):
        dtype = self.rnd.choice(self.types_of(method))
        names = [self.pick(dtype) for _ in range(registers)]
        if None in names:
            return
        on, text = self.mask(BYTES // SIZES[dtype])
        value = [self.literal(dtype)] if scalar else []
        getattr(self.model, method)(on, *names, *value)
        self.called.add(method)
        shown = method[:-1] if method in ('vector_vadds', 'vector_vmuls') and self.rnd.random() < 0.3 else method
        self.put(f't.{shown}({text}, {", ".join(names + [repr(v) for v in value])})')

    def do_dup(self):
        self.arithmetic('vector_vdup', 1, True)

    def do_binary(self):
        self.arithmetic(self.rnd.choice(BINARY), 3, False)

    def do_scalar(self):
        self.arithmetic(self.rnd.choice(SCALAR), 2, True)

    def do_unary(self):
        self.arithmetic(self.rnd.choice(UNARY), 2, False)

    # ---- running

    def program(self):
        head = ['from tbe import tik', 't = tik.Tik()']
        data = dict(self.inputs)
        tail = []
        for name, raw in self.inputs.items():
            n = len(raw)
            head += [f'g_{name} = t.Tensor("uint8", ({n},), tik.scope_gm, "g_{name}")',
                     f'{name} = t.Tensor("uint8", ({n},), tik.scope_ubuf, "{name}")',
                     f't.data_move({name}, g_{name}, 0, 1, {n // 32}, 0, 0)']
        n = -(-max(len(self.numbers), 1) // 4) * 4
        data['numbers'] = np.array(self.numbers + [0] * (n - len(self.numbers)), np.int64).tobytes()
        head += [f'g_numbers = t.Tensor("int64", ({n},), tik.scope_gm, "g_numbers")',
                 f'numbers = t.Tensor("int64", ({n},), tik.scope_ubuf, "numbers")',
                 f't.data_move(numbers, g_numbers, 0, 1, {n // 4}, 0, 0)', 'n = []',
                 f'for i in range({len(self.numbers)}):', '    n.append(t.Scalar("int64"))',
                 '    n[i].set_as(numbers[i])']
        tail = [f'result = t.Tensor("uint8", ({4 * UB},), tik.scope_gm, "result")',
                f't.data_move(result, out, 0, 1, {4 * UB // 32}, 0, 0)',
                f't.BuildCCE(kernel_name="k{self.seed}", inputs=[{", ".join("g_" + x for x in data)}], outputs=[result])']
        return '\n'.join(head + self.lines + tail) + '\n', {f'g_{k}': v for k, v in data.items()}

    def wrong(self, result):
        status, detail, outs = result
        if status != 'ok':
            return f'{status} {detail}'
        got, want = outs['result'], self.model.memory['out'].tobytes()
        if got == want:
            return None
        bad = [i for i, (a, b) in enumerate(zip(want, got)) if a != b]
        return f'byte {bad[0]} is {got[bad[0]]:02x}, the model says {want[bad[0]]:02x}; {len(bad)} bytes differ'


def execute(programs):
    """Results of (text, inputs, processor)."""
    job = []
    for i, (text, data, soc) in enumerate(programs):
        raw = text.encode()
        job += [b'PROGRAM %d %d %s\n' % (i, len(raw), soc.encode()), raw, b'\n']
        for name, a in data.items():
            job += [b'IN %s %d\n' % (name.encode(), len(a)), a, b'\n']
        job.append(b'END\n')
    run = subprocess.run([os.path.join(BUILD, 'tools/diffrun')], input=b''.join(job), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    got = results(run.stdout)
    return [got.get(i, ('crash', run.stderr.decode(errors='replace')[-1500:], {})) for i in range(len(programs))]


def golden():
    """Cases of tests/golden/reg/cases.tsv: (name, what is wrong)."""
    cases = []
    for line in open(GOLDEN):
        if line.startswith('#'):
            continue
        name, calls, src, want = line.rstrip('\n').split('\t')
        data, out = bytes.fromhex(expand(src)), bytes.fromhex(expand(want))
        data = data + bytes(1024 - len(data))
        text = ['from tbe import tik', 't = tik.Tik()', 'g = t.Tensor("uint8", (1024,), tik.scope_gm, "g")',
                'r = t.Tensor("uint8", (512,), tik.scope_gm, "r")', 'u = t.Tensor("uint8", (1024,), tik.scope_ubuf, "u")',
                'o = t.Tensor("uint8", (512,), tik.scope_ubuf, "o")', 't.data_move(u, g, 0, 1, 32, 0, 0)',
                't.vec_dup(128, o.reinterpret_cast_to("uint16"), 0, 2, 8)', 'src = u.reinterpret_cast_to',
                'dst = o.reinterpret_cast_to'] + calls.split('; ')
        text += ['t.data_move(r, o, 0, 1, 16, 0, 0)', f't.BuildCCE(kernel_name="{name}", inputs=[g], outputs=[r])']
        cases.append((name, '\n'.join(text) + '\n', {'g': data}, out + bytes(512 - len(out))))
    got = execute([(text, data, 'Ascend310B1') for _, text, data, _ in cases])
    for (name, text, _, want), (status, detail, outs) in zip(cases, got):
        bad = f'{status} {detail}' if status != 'ok' else '' if outs['r'] == want else f'{outs["r"].hex()}\nnot\n{want.hex()}'
        yield name, bad


def expand(text):
    """Hexadecimal with (..)*n for n copies."""
    while '*' in text:
        end = text.index(')*')
        start = text.rindex('(', 0, end)
        n = ''
        for c in text[end + 2:]:
            if not c.isdigit():
                break
            n += c
        text = text[:start] + text[start + 1:end].replace(' ', '') * int(n) + text[end + 2 + len(n):]
    return text.replace(' ', '')


def show_one(seed):
    k = Kernel(seed)
    text, data = k.program()
    print(f'# --soc {k.soc}\n' + text)
    wrong = k.wrong(execute([(text, data, k.soc)])[0])
    print(wrong or 'equal')
    return 1 if wrong else 0


def main():
    if len(sys.argv) == 2:
        return show_one(int(sys.argv[1]))
    total, first = int(os.environ.get('TIKC_KERNELS', '250')), int(os.environ.get('TIKC_SEED', '1'))
    passed, bad, ran = 0, [], set()
    for start in range(first, first + total, TOGETHER):
        kernels = [Kernel(s) for s in range(start, min(start + TOGETHER, first + total))]
        got = execute([(*k.program(), k.soc) for k in kernels])
        for k, result in zip(kernels, got):
            wrong = k.wrong(result)
            passed += wrong is None
            if result[0] == 'ok':
                ran |= k.called
            if wrong:
                bad.append(f'reg_random.py {k.seed}\n    {wrong}')
    if total >= TOGETHER:
        bad += [f'{name}: is in op.def, but no call of it ran' for name in sorted(register_rows() - ran)]
    for name, wrong in golden():
        passed += not wrong
        if wrong:
            bad.append(f'{name}: {wrong}')
    print('\n'.join(bad[:20]))
    print(f'{passed} passed, {len(bad)} failed')
    return 1 if bad or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
