"""Programs of moves between the accumulator and other memories, made from lists of steps and run on the back ends.

A step has bytes that its source holds, bytes that its destination holds before, and prints as calls; the whole
destination is what it gives. Steps of one program follow each other in scopes of their own."""
import sys
import os
import random
import subprocess
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa
from operand import Names, Operands
from quant_model import fixpipe
from quant_model.moves import Move, tensor_mov
from quant_model.numbers import SIZES

BACKENDS = {'host -O0': ['--backend', 'host', '-O', '0'], 'host -O2': ['--backend', 'host', '-O', '2'],
            'emu': ['--backend', 'emu']}
FILL = {'float16': 'float16', 'int16': 'float16', 'uint16': 'float16', 'float32': 'float32', 'int32': 'int32',
        'uint32': 'uint32'}


def blocks(n):
    return -(-n // 32)


class Memory:
    """The one input of a program."""

    def __init__(self):
        self.parts, self.size = [], 0

    def add(self, data):
        """Appends bytes, filled up to 32, and gives where they stand."""
        data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
        at, n = self.size, blocks(len(data)) * 32
        self.parts.append(np.concatenate([data, np.zeros(n - len(data), np.uint8)]))
        self.size += n
        return at, n


def load(lines, memory, name, data):
    """A tensor of bytes in UB that holds the data."""
    at, n = memory.add(data)
    lines.append(f'{name} = t.Tensor("uint8", ({n},), name="{name}", scope=tik.scope_ubuf)')
    lines.append(f't.data_move({name}, inp[{at}], 0, 1, {n // 32}, 0, 0)')


def load_acc(lines, memory, name, data, dtype, index):
    """A tensor in the accumulator that holds the data, of whole fractals."""
    unit, fill = 256 * SIZES[dtype], FILL[dtype]
    data = np.frombuffer(data.tobytes(), np.uint8)
    data = np.concatenate([data, np.zeros(-len(data) % unit, np.uint8)])
    elems = len(data) // SIZES[dtype]
    load(lines, memory, f'stage{index}', data)
    lines.append(f'{name} = t.Tensor("{dtype}", ({elems},), name="{name}", scope=tik.scope_cc)')
    to = name if fill == dtype else f'{name}.reinterpret_cast_to("{fill}")'
    lines.append(f't.tensor_mov({to}, stage{index}.reinterpret_cast_to("{fill}"), "m", 1, {len(data) // unit}, 0, 0)')


def operands(lines, memory, i, vary):
    """How the numbers of step i are spelt."""
    def late(v):
        name = names.fresh()
        load(lines, memory, f'{name}w', np.asarray([v], np.int32))
        lines.append(f'{name} = t.Scalar("int32")')
        lines.append(f'{name}.set_as({name}w.reinterpret_cast_to("int32")[0])')
        return name
    names = Names(f'q{i}_')
    ops = Operands(random.Random(vary), late, names)
    if vary is None:
        ops.number = str
    return ops


class Step:
    """A tensor_mov, or a data_copy with enhanced parameters where spelling says so. vary: a number that chooses how
    its numbers are spelt (operand.py); None: as literals."""
    vary = None

    def __init__(self, move, src, before, spelling='tensor_mov', run_time=False):
        self.move, self.spelling, self.run_time = move, spelling, run_time
        self.src = np.frombuffer(np.ascontiguousarray(src).tobytes(), np.uint8)
        self.before = np.frombuffer(np.ascontiguousarray(before).tobytes(), np.uint8)

    def expected(self):
        dst = self.before.copy()
        tensor_mov(self.move, dst, self.src)
        return dst

    def scale(self, lines, memory, i):
        m = self.move
        if m.scale == 'DEQ_NONE':
            return None
        if m.scale.startswith('V'):
            kind = 'float16' if m.scale == 'VDEQ' else 'uint64'
            load(lines, memory, f'scale{i}', np.asarray(m.words, np.uint16 if kind == 'float16' else np.uint64))
            return f'scale{i}.reinterpret_cast_to("{kind}")'
        if m.scale == 'DEQ' and self.spelling == 'tensor_mov':
            value = float(np.uint16(m.words).view(np.float16))
            if self.run_time or not np.isfinite(value):
                load(lines, memory, f'half{i}', np.asarray([m.words], np.uint16))
                lines.append(f's{i} = t.Scalar("float16")')
                lines.append(f's{i}.set_as(half{i}.reinterpret_cast_to("float16")[0])')
                return f's{i}'
            return repr(value)
        if self.run_time:
            load(lines, memory, f'word{i}', np.asarray([m.words], np.uint64))
            lines.append(f's{i} = t.Scalar("uint64")')
            lines.append(f's{i}.set_as(word{i}.reinterpret_cast_to("uint64")[0])')
            return f's{i}'
        return hex(int(m.words))

    def tensor_mov(self, ops, dst, src, scale, other):
        m = self.move
        args = [dst, src, f'"{m.mode}"'] + [ops.number(v) for v in (m.nburst, m.burst, m.dst_stride, m.src_stride)]
        text = ', '.join(map(str, args))
        text += f', deqscale={scale}' if scale else ''
        text += f', sid_store_mode={m.sid}' if m.sid else ''
        text += ', relu=True' if m.relu else ''
        text += f', onthefly_mode={m.fly}, src_onthefly={other}' if m.fly else ''
        return ops.around(f't.tensor_mov({text})')

    def data_copy(self, ops, dst, src, scale):
        m = self.move
        block = {'m': 'MATRIX', 'v': 'VECTOR'}[m.mode]
        fields = [f'tik.BlockMode.BLOCK_MODE_{block}', f'tik.DeqScale.{m.scale}']
        if scale:
            fields.append(('deq_tensor_addr=' if m.scale.startswith('V') else 'deq_value=') + scale)
        fields += [f'sid_store_mode={m.sid}', f'is_relu={bool(m.relu)}']
        params = ', '.join(ops.number(v) for v in (m.nburst, m.burst, m.src_stride, m.dst_stride))
        return ops.around(f't.data_copy({dst}, {src}, tik.DataCopyParams({params}), '
                          f'tik.DataCopyEnhancedParams({", ".join(fields)}))')

    def lines(self, memory, i, out):
        m, lines = self.move, []
        n = blocks(len(self.before)) * 32
        scale = self.scale(lines, memory, i)
        ops = operands(lines, memory, i, self.vary)
        other = None
        if m.fly:
            load(lines, memory, f'other{i}', m.other)
            other = f'other{i}.reinterpret_cast_to("{m.dst}")'
        if m.to_acc:
            load(lines, memory, f'src{i}', self.src)
            load_acc(lines, memory, f'acc{i}', self.before, m.dst, i)
            lines += self.tensor_mov(ops, f'acc{i}', f'src{i}.reinterpret_cast_to("{m.src}")', scale, other)
            fill = FILL[m.dst]
            acc = f'acc{i}' if fill == m.dst else f'acc{i}.reinterpret_cast_to("{fill}")'
            units = -(-n // (256 * SIZES[m.dst]))
            lines.append(f'dst{i} = t.Tensor("uint8", ({units * 256 * SIZES[m.dst]},), name="dst{i}", scope=tik.scope_ubuf)')
            lines.append(f't.tensor_mov(dst{i}.reinterpret_cast_to("{fill}"), {acc}, "m", 1, {units}, 0, 0)')
        else:
            load_acc(lines, memory, f'acc{i}', self.src, m.src, i)
            load(lines, memory, f'dst{i}', self.before)
            dst, src = f'dst{i}.reinterpret_cast_to("{m.dst}")', f'acc{i}'
            lines += (self.tensor_mov(ops, dst, src, scale, other) if self.spelling == 'tensor_mov'
                      else self.data_copy(ops, dst, src, scale))
        lines.append(f't.data_move(out[{out}], dst{i}, 0, 1, {n // 32}, 0, 0)')
        return lines, n


class Fix:
    """A fixpipe. SOC is a processor on which L0C can be filled from UB and which has both forms."""
    SOC = 'Ascend031'
    READING = 'Q19=has'   # it has all conversions
    vary = None

    def __init__(self, fix, src, before, by_register=False, to_l1=False, run_time=False):
        self.fix, self.move, self.spelling = fix, fix, 'fixpipe'
        self.by_register, self.to_l1, self.run_time = by_register, to_l1, run_time
        self.src = np.frombuffer(np.ascontiguousarray(src).tobytes(), np.uint8)
        self.before = np.frombuffer(np.ascontiguousarray(before).tobytes(), np.uint8)

    def expected(self):
        dst = self.before.copy()
        (fixpipe.columns if isinstance(self.fix, fixpipe.Columns) else fixpipe.blocks)(self.fix, dst, self.src)
        return dst

    def word(self, lines, memory, i, word):
        if not self.run_time:
            return hex(int(word))
        load(lines, memory, f'word{i}', np.asarray([word], np.uint64))
        lines.append(f's{i} = t.Scalar("uint64")')
        lines.append(f's{i}.set_as(word{i}.reinterpret_cast_to("uint64")[0])')
        return f's{i}'

    def in_l1(self, lines, memory, name, data, dtype):
        at, n = memory.add(data)
        lines.append(f'{name} = t.Tensor("uint8", ({n},), name="{name}", scope=tik.scope_cbuf)')
        lines.append(f't.data_move({name}, inp[{at}], 0, 1, {n // 32}, 0, 0)')
        return f'{name}.reinterpret_cast_to("{dtype}")'

    def columns(self, lines, memory, i, dst, src):
        c, scale = self.fix, None
        ops = operands(lines, memory, i, self.vary)
        n, m, dst_stride, src_stride = (ops.number(v) for v in (c.n, c.m, c.dst_stride, c.src_stride))
        if c.mode.startswith('V'):
            scale = self.in_l1(lines, memory, f'scale{i}', np.asarray(c.words, np.uint64), 'uint64')
        elif c.mode in ('DEQF16', 'QF322B8_PRE', 'REQ8'):
            scale = self.word(lines, memory, i, c.words)
        if self.by_register:
            if c.nd:
                lines.append(f't.set_fixpipe_nz2nd_flag({c.nd_num}, {c.nd_src}, {c.nd_dst})')
            if scale:
                name = 'config' if c.mode.startswith('V') else 'pre_quant_flag'
                lines.append(f't.set_fixpipe_{name}({scale})')
            lines += ops.around(f't.data_copy({dst}, {src}, tik.DataCopyCO12DstParams({n}, {m}, {dst_stride}, '
                                f'{src_stride}, tik.QuantMode.{c.mode}, {c.relu}, {c.split}, {c.nd}))')
            return
        vector = f', {scale}' if c.mode.startswith('V') else ''
        word = f', deq_scalar={scale}' if scale and not vector else ''
        config = 'CFG_ROW_MAJOR' if c.nd else 'CFG_NZ'
        lines += ops.around(f't.fixpipe({dst}, {src}, tik.FixpipeParamsV220({n}, {m}, {src_stride}, {dst_stride}, '
                            f'tik.QuantMode.{c.mode}, nd_num={c.nd_num}, src_nd_stride={c.nd_src}, '
                            f'dst_nd_stride={c.nd_dst}, relu_en={c.relu}, is_channel_split={c.split}{word}){vector}, '
                            f'config=tik.FixpipeConfig.{config})')

    def param(self, lines, memory, i):
        p = self.fix.param
        if np.ndim(p) == 0:
            return repr(float(p))
        kind = {2: 'float16', 4: 'float32', 8: 'uint64'}[np.asarray(p).dtype.itemsize]
        if kind == 'float32':
            at, _ = memory.add(p)
            return f'inp[{at}].reinterpret_cast_to("float32")'
        return self.in_l1(lines, memory, f'param{i}', p, kind)

    def blocks(self, lines, memory, i, dst, src):
        b, extend = self.fix, []
        if b.quantize:
            param = self.param(lines, memory, i) if b.param is not None else None
            extend.append(f'"quantize_params": {{"mode": "{b.quantize}", "mode_param": {param}}}')
        if b.bias is not None:
            extend.append(f'"bias": {self.in_l1(lines, memory, f"bias{i}", b.bias, b.src)}')
        if b.other is not None:
            extend.append(f'"element-wise-add": {self.in_l1(lines, memory, f"other{i}", b.other, b.dst)}')
        if b.relu:
            extend.append('"relu": True')
        length = b.rows * 16 * SIZES[b.src] // 32
        ops = operands(lines, memory, i, self.vary)
        numbers = ', '.join(ops.number(v) for v in (b.n, length, b.dst_stride, b.src_stride))
        lines += ops.around(f't.fixpipe({dst}, {src}, {numbers}, {{{", ".join(extend)}}})')

    def lines(self, memory, i, out):
        f, lines = self.fix, []
        n = blocks(len(self.before)) * 32
        fill = 'float32' if f.src == 'float32' else 'int32'
        data = np.concatenate([self.src, np.zeros(-len(self.src) % 1024, np.uint8)])
        load(lines, memory, f'stage{i}', data)
        lines.append(f'acc{i} = t.Tensor("{fill}", ({len(data) // 4},), name="acc{i}", scope=tik.scope_cc)')
        lines.append(f't.data_move(acc{i}, stage{i}.reinterpret_cast_to("{fill}"), 0, 1, {len(data) // 1024}, 0, 0)')
        at, _ = memory.add(self.before)
        kind = 'L1' if self.to_l1 else 'UB'
        lines.append(f'before{i} = t.Tensor("uint8", ({n},), name="before{i}", scope=tik.scope_'
                     f'{"cbuf" if self.to_l1 else "ubuf"})')
        lines.append(f't.data_move(before{i}, inp[{at}], 0, 1, {n // 32}, 0, 0)')
        if not self.to_l1:
            lines.append(f't.data_move(out[{out}], before{i}, 0, 1, {n // 32}, 0, 0)')
        dst = f'before{i}' if self.to_l1 else f'out[{out}:{out + n}]'
        (self.columns if isinstance(f, fixpipe.Columns) else self.blocks)(
            lines, memory, i, f'{dst}.reinterpret_cast_to("{f.dst}")', f'acc{i}')
        if self.to_l1:
            lines.append(f'back{i} = t.Tensor("uint8", ({n},), name="back{i}", scope=tik.scope_ubuf)')
            lines.append(f't.data_move(back{i}, before{i}, 0, 1, {n // 32}, 0, 0)')
            lines.append(f't.data_move(out[{out}], back{i}, 0, 1, {n // 32}, 0, 0)')
        return lines, n


def program(steps):
    """(text, input bytes, [(step, where its result is)])"""
    memory, body, places, at = Memory(), [], [], 0
    for i, s in enumerate(steps):
        lines, n = s.lines(memory, i, at)
        body += ['with t.new_stmt_scope():'] + ['    ' + l for l in lines]
        places.append((s, at))
        at += n
    head = ['from tbe import tik', 't = tik.Tik()',
            f'inp = t.Tensor("uint8", ({memory.size},), name="inp", scope=tik.scope_gm)',
            f'out = t.Tensor("uint8", ({at},), name="out", scope=tik.scope_gm)']
    tail = ['t.BuildCCE(kernel_name="k", inputs=[inp], outputs=[out])']
    return '\n'.join(head + body + tail) + '\n', np.concatenate(memory.parts), places


def run(tikc, text, data, backend, folder, soc, choice=None):
    """Bytes of the output, or a text that says why there is none."""
    path = os.path.join(folder, 'program.tik')
    with open(path, 'w') as f:
        f.write(text)
    np.save(os.path.join(folder, 'inp.npy'), data)
    args = [tikc, 'run', path, '--soc', soc] + BACKENDS[backend]
    args += ['--choice', choice] if choice else []
    args += ['--choice', Fix.READING] if soc == Fix.SOC else []
    args += ['--in', 'inp=' + os.path.join(folder, 'inp.npy'), '--out', 'out=' + os.path.join(folder, 'out.npy')]
    p = subprocess.run(args, capture_output=True, text=True, timeout=300)
    return np.load(os.path.join(folder, 'out.npy')) if p.returncode == 0 else f'exit code {p.returncode}\n{p.stdout}{p.stderr}'


def compare(tikc, steps, backends, soc='Ascend310P3', want=None, keep=None, choice=None):
    """[(step, backend, what is wrong)]"""
    text, data, places = program(steps)
    want = want or [s.expected() for s in steps]
    bad = []
    with tempfile.TemporaryDirectory() as temporary:
        for backend in backends:
            got = run(tikc, text, data, backend, keep or temporary, soc, choice)
            if isinstance(got, str):
                bad.append((None, backend, got))
                continue
            for (s, at), w in zip(places, want):
                g = got[at:at + len(w)]
                if not np.array_equal(g, w):
                    k = int(np.flatnonzero(g != w)[0])
                    bad.append((s, backend, f'byte {k} is {g[k]:02x}, expected {w[k]:02x}'))
    return bad
