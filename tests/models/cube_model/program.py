"""Programs of calls of the matrix unit, many instances in one, and what they must leave.

Data of all instances stand in one global tensor per element type. An instance brings its operands to where the
instruction wants them, and what it writes to where it can be compared: L0A and L0B by a product with a unit matrix."""
import numpy as np

from . import NUMPY, SIZES, numbers, up

SCOPE = {'UB': 'scope_ubuf', 'L1': 'scope_cbuf', 'L0A': 'scope_ca', 'L0B': 'scope_cb', 'L0C': 'scope_cc', 'BT': 'scope_bt'}

# Processors whose sums leave L0C by fixpipe only.
BY_FIXPIPE = ('Ascend910B1', 'Ascend310B1', 'Ascend610Lite')

# Types of loads that no product has.
SAME_BITS = {'int16': 'float16', 'uint16': 'float16', 'int32': 'float32', 'uint32': 'float32'}


class Program:
    def __init__(self, processor):
        self.processor = processor
        self.body = []
        self.ins, self.outs = {}, {}     # by dtype: bytes so far
        self.expected = []               # (instance, dtype, offset, bytes, which bytes count or None)
        self.made = 0
        self.instance = None

    def begin(self, instance):
        self.instance = instance
        self.body.append('with t.new_stmt_scope():')
        self.body.append('    pass')

    def line(self, text):
        self.body.append('    ' + text)

    def tensor(self, scope, dtype, n):
        self.made += 1
        name = f'x{self.made}'
        self.line(f'{name} = t.Tensor("{dtype}", ({n},), name="{name}", scope=tik.{SCOPE[scope]})')
        return name

    def source_of(self, raw, dtype):
        """Offset of the data in the global tensor, in elements."""
        data = self.ins.setdefault(dtype, bytearray())
        at = len(data) // SIZES[dtype]
        data += bytes(raw) + bytes(-len(raw) % 512)
        return at

    def fractals(self, dst, src, n, dtype):
        if SIZES[dtype] == 4 and dtype in SAME_BITS:   # load2d has float32 only
            dst, src = (f'{x}.reinterpret_cast_to("float32")' for x in (dst, src))
        for first in range(0, n, 255):
            part = min(255, n - first)
            at = first * 512 // SIZES[dtype]
            if self.processor in ('Ascend310', 'Ascend910A'):
                self.line(f't.load2dv1({dst}[{at}], {src}[{at}], 0, {part}, 1, 0)')
            elif self.processor == 'Ascend610Lite':
                self.line(f't.load2dv3({dst}[{at}], {src}[{at}], 0, 0, 0, 0, {part}, 1)')
            else:
                self.line(f't.load2dv2({dst}[{at}], {src}[{at}], 0, {part}, 0, 1, 0)')

    def put(self, scope, dtype, values, room=None):
        """A local tensor with these elements (any array); room: elements that it has, if more."""
        raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        n = room or len(raw) // SIZES[dtype]
        unit = 512 if scope.startswith('L0') else 32
        raw = np.concatenate([raw, np.zeros(up(n * SIZES[dtype], unit) - len(raw), np.uint8)])
        n = len(raw) // SIZES[dtype]
        at = self.source_of(raw, dtype)
        via = {'L0A': 'L1', 'L0B': 'L1', 'L0C': 'UB'}.get(scope, scope)
        name = self.tensor(via, dtype, n)
        self.line(f't.data_move({name}, in_{dtype}[{at}], 0, 1, {len(raw) // 32}, 0, 0)')
        if via == scope:
            return name
        to = self.tensor(scope, dtype, n)
        if scope == 'L0C':
            self.line(f't.data_move({to}, {name}, 0, 1, {n // 256}, 0, 0)')
        else:
            self.fractals(to, name, len(raw) // 512, dtype)
        return to

    def expect(self, dtype, raw, counts=None):
        """Room in the global tensor for what is taken, which must be raw; its offset in elements."""
        at = self.outs.get(dtype, 0)
        self.outs[dtype] = at + up(len(raw), 32)
        self.expected.append((self.instance, dtype, at, bytes(raw), counts))
        return at // SIZES[dtype]

    def take(self, name, scope, dtype, raw, counts=None, columns=16):
        """The tensor's first bytes are raw (of those that count). columns: of sums in L0C, whole fractals."""
        n = len(raw) // SIZES[dtype]
        if scope in ('L0A', 'L0B'):
            self.take_factor(name, scope, dtype, raw)
            return
        at = self.expect(dtype, raw, counts)
        if scope == 'L0C' and self.processor in BY_FIXPIPE:
            self.line(f't.fixpipe(out_{dtype}[{at}], {name}, {columns // 16}, {n // columns * 2}, 0, 0)')
            return
        if scope == 'L0C':
            ub = self.tensor('UB', dtype, n)
            self.line(f't.data_move({ub}, {name}, 0, 1, {n // 256}, 0, 0)')
            name = ub
        self.line(f't.data_move(out_{dtype}[{at}], {name}, 0, 1, {len(raw) // 32}, 0, 0)')

    def take_factor(self, name, scope, dtype, raw):
        """Fractals of L0A or L0B, as the rows or columns of a product with a unit matrix. Elements of types that no
        product has are taken as floats of their bits, which must be sane."""
        if dtype in SAME_BITS:
            name, dtype = f'{name}.reinterpret_cast_to("{SAME_BITS[dtype]}")', SAME_BITS[dtype]
        k0 = 32 // SIZES[dtype]
        n = len(raw) // 512
        unsigned = 'int32' if scope == 'L0A' or self.processor in BY_FIXPIPE else 'uint32'
        acc = {'int8': 'int32', 'uint8': unsigned}.get(dtype, 'float32')
        other = 'int8' if dtype == 'uint8' and scope == 'L0A' else dtype
        unit = np.eye(max(k0, 16), k0)
        unit = (unit.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) if dtype == 'bfloat16' else \
            unit.astype(NUMPY[other])
        if scope == 'L0A':
            eye = self.put('L0B', other, unit.reshape(k0 // 16, 16, k0) if k0 > 16 else unit)
            m, columns, factors = 16 * n, k0, f'{name}, {eye}'
        else:
            eye = self.put('L0A', other, unit.reshape(k0 // 16, 16, k0) if k0 > 16 else unit)
            m, columns, factors = k0, 16 * n, f'{eye}, {name}'
        c = self.tensor('L0C', acc, up(m, 16) * up(columns, 16))
        self.line(f't.mmad({c}, {factors}, {m}, {k0}, {columns}, 0)')
        matrix = numbers(np.frombuffer(bytes(raw), NUMPY[dtype]).reshape(16 * n, k0), dtype)
        matrix = matrix if scope == 'L0A' else matrix.T
        want = np.zeros((up(m, 16), up(columns, 16)), NUMPY[acc])
        want[:m, :columns] = matrix
        want = want.reshape(len(want), -1, 16).transpose(1, 0, 2)
        self.take(c, 'L0C', acc, np.ascontiguousarray(want).tobytes(), columns=up(columns, 16))

    def source(self):
        lines = ['from tbe import tik', 't = tik.Tik()']
        for dtype, data in self.ins.items():
            lines.append(f'in_{dtype} = t.Tensor("{dtype}", ({len(data) // SIZES[dtype]},), name="in_{dtype}", '
                         f'scope=tik.scope_gm)')
        for dtype, size in self.outs.items():
            lines.append(f'out_{dtype} = t.Tensor("{dtype}", ({size // SIZES[dtype]},), name="out_{dtype}", '
                         f'scope=tik.scope_gm)')
        lines += self.body
        lines.append(f't.BuildCCE(kernel_name="k", inputs=[{", ".join("in_" + d for d in self.ins)}], '
                     f'outputs=[{", ".join("out_" + d for d in self.outs)}])')
        return '\n'.join(lines) + '\n'

    def encode(self, number):
        source = self.source().encode()
        out = [b'PROGRAM %d %d %s\n' % (number, len(source), self.processor.encode()), source, b'\n']
        for dtype, data in self.ins.items():
            out += [b'IN in_%s %d\n' % (dtype.encode(), len(data)), bytes(data), b'\n']
        return b''.join(out + [b'END\n'])

    def blame(self, tensors):
        """[(instance, what is wrong)] of what the program left in its global tensors."""
        out = []
        for instance, dtype, at, raw, counts in self.expected:
            got = np.frombuffer(tensors[f'out_{dtype}'][at:at + len(raw)], np.uint8)
            wrong = got != np.frombuffer(raw, np.uint8)
            if counts is not None:
                wrong &= counts
            if wrong.any():
                i = int(np.argmax(wrong)) // SIZES[dtype]
                size = SIZES[dtype]
                out.append((instance, f'{int(wrong.sum())} bytes differ, first {dtype} element {i}: '
                            f'{got[i * size:(i + 1) * size].tobytes().hex()}, expected '
                            f'{raw[i * size:(i + 1) * size].hex()}'))
        return out
