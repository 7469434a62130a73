"""The cases of tests/golden/vector: reading them, running them on vector_model, and as TIK programs.

A case's calls are text of the language. On the model they are evaluated with the tensors as Views and the
methods as those of a Machine; in a program they get the name of the container in front.
"""
import sys
import ast
import os
import re

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import vector_model
from vector_model.core import SIZES, UINT, to_numbers

# The oldest processor of each generation that cases name.
SOC = {'any': 'Ascend310P3', 'v200': 'Ascend310P3', 'v220': 'Ascend910B1', 'v100': 'Ascend910A'}
ERROR_ELEMENTS = 256   # of the tensors of a case that is refused; a shared buffer has twice that
WORK_ELEMENTS = 1024


def read_gold(path):
    """The lines of a .gold file: in, out as {operand: (dtype, [patterns])}, scalar_in, scalar_out as
    {name: (dtype, pattern)}, calls and modes as lists, the rest as text."""
    gold = {'in': {}, 'out': {}, 'scalar_in': {}, 'scalar_out': {}, 'tensor': {}, 'call': [], 'mode': {}}
    words = None
    for line in open(path):
        line = line.rstrip('\n')
        if line.startswith(' '):
            words.extend(int(w, 16) for w in line.split())
            continue
        if not line or line.startswith('#'):
            continue
        key, rest = line.split(' ', 1)
        if key in ('in', 'out'):
            operand, dtype, _ = rest.split()
            words = []
            gold[key][operand] = (dtype, words)
        elif key in ('scalar_in', 'scalar_out'):
            name, dtype, bits = rest.split()
            gold[key][name] = (dtype, int(bits, 16))
        elif key == 'tensor':
            name, dtype, shape = rest.split(' ', 2)
            gold['tensor'][name] = (dtype, tuple(int(n) for n in shape.split()))
        elif key == 'mode':
            name, value = rest.split()
            gold['mode'][name] = int(value)
        elif key == 'call':
            gold['call'].append(rest)
        else:
            gold[key] = rest.strip()
    return gold


def patterns(dtype, words):
    return np.array(words, UINT[SIZES[dtype]])


def padded(dtype, words):
    """Patterns with zeros up to a whole block, as a move takes them."""
    per_block = 32 // SIZES[dtype]
    return patterns(dtype, list(words) + [0] * (-len(words) % per_block))


class MethodCalls(ast.NodeTransformer):
    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in vector_model.METHODS:
            node.func = ast.Attribute(ast.Name('tik_instance', ast.Load()), node.func.id, ast.Load())
        return node


class VectorCase:
    def __init__(self, path):
        self.path = path
        self.gold = read_gold(path)
        self.name = os.path.basename(path)[:-5]
        self.soc = SOC[self.gold['arch']]
        self.error = self.gold.get('error')
        self.remark = ' '.join(c.split('#')[1] for c in self.gold['call'] if '#' in c)
        self.calls = [c.split('#')[0].strip() for c in self.gold['call']]
        self.tensors = self.error_tensors() if self.error else self.data_tensors()
        self.model_only = False
        # Saturating float16 arithmetic is a mode of the machine that no method of the language sets.
        self.choices = ['U2=saturate'] if self.gold['mode'].get('fp_saturate') else []
        self.whole = {}   # tensors that end within a block: the name of all of it
        self.inputs = {} if self.error else {n + '_in': to_numbers(padded(t, w), t)
                                             for n, (t, w) in self.gold['in'].items()}
        self.outputs = {n + '_out': patterns(t, w).tobytes() for n, (t, w) in self.gold['out'].items()}
        self.outputs.update({n + '_out': patterns(t, [b]).tobytes() for n, (t, b) in self.gold['scalar_out'].items()})

    def shapes(self):
        """{tensor: shape} of those that a remark gives one of two axes or names: '(4, 16)'."""
        out = {}
        every = re.search(r'tensors of shape \(([\d, ]+)\)', self.remark)
        for name in self.gold['in']:
            own = re.search(r'\b%s \(([\d, ]+)\)' % name, self.remark)
            if own or every:
                out[name] = tuple(int(n) for n in (own or every).group(1).split(',') if n.strip())
        return out

    def data_tensors(self):
        """{tensor: (dtype, shape)}"""
        shapes = self.shapes()
        out = {}
        for n, (t, w) in self.gold['in'].items():
            room = max(len(padded(t, w)), 256 // SIZES[t])   # bounds of some instructions count a whole repeat
            out[n] = (t, shapes.get(n, (room,)))
        out.update(self.gold['tensor'])
        for c in self.calls:
            if re.search(r'\bwork\b', c):
                dtype = 'float32' if re.search('vec_r(ec|sqrt)_high_preci', c) else 'float16'
                out['work'] = (dtype, (WORK_ELEMENTS,))
        return out

    def error_tensors(self):
        names = sorted({n.id for c in self.calls for n in ast.walk(ast.parse(c)) if isinstance(n, ast.Name)}
                       - set(vector_model.METHODS))
        words = re.findall(r'(?:float|u?int)\d+', self.remark)
        dtypes = {n: words[0] if words else 'float16' for n in names}
        if '->' in self.remark:
            dtypes['src'], dtypes['dst'] = words
        elements = ERROR_ELEMENTS * (2 if 'same buffer' in self.remark else 1)
        return {n: (dtypes[n], (elements,)) for n in names}

    # ---- the file

    def expect(self, outputs):
        """Writes the file anew with other bits of its tensors, {operand + '_out': bytes}; gives the text that it had."""
        with open(self.path) as f:
            before = f.read()
        lines, skip = [], False
        for line in before.splitlines():
            skip = skip and line.startswith(' ')
            if skip:
                continue
            lines.append(line)
            if line.startswith('out '):
                operand, dtype, n = line.split()[1:]
                size = SIZES[dtype]
                words = np.frombuffer(outputs[operand + '_out'], UINT[size])[:int(n)]
                digits = [f'{w:0{2 * size}x}' for w in words.tolist()]
                lines += ['  ' + ' '.join(digits[i:i + 16]) for i in range(0, len(digits), 16)]
                skip = True
        with open(self.path, 'w') as f:
            f.write('\n'.join(lines) + '\n')
        return before

    # ---- on the model

    def run_model(self):
        """None, or what differs."""
        m = vector_model.Machine(self.gold['arch'] if self.gold['arch'] != 'any' else 'v200')
        for mode, value in self.gold['mode'].items():
            setattr(m, mode, value)
        names = {n: getattr(m, n) for n in vector_model.METHODS}
        for n, (dtype, shape) in self.tensors.items():
            words = self.gold['in'].get(n, (dtype, [0] * WORK_ELEMENTS))[1]
            data = np.zeros(max(int(np.prod(shape)), len(words)), UINT[SIZES[dtype]])
            data[:len(words)] = words
            names[n] = m.tensor(n, dtype, data, shape)
        for n, (dtype, bits) in {**self.gold['scalar_out'], **self.gold['scalar_in']}.items():
            names[n] = vector_model.Scalar(dtype, bits if n in self.gold['scalar_in'] else 0)
        for call in self.calls:
            exec(call, names)
        for n, (dtype, words) in self.gold['out'].items():
            got = m.memory[n].view(UINT[SIZES[dtype]])[:len(words)]
            for i, (a, b) in enumerate(zip(got.tolist(), words)):
                if a != b:
                    return f'{n}[{i}] is {a:x}, expected {b:x}'
        for n, (dtype, bits) in self.gold['scalar_out'].items():
            if names[n].bits != bits:
                return f'{n} is {names[n].bits:x}, expected {bits:x}'
        return None

    # ---- as a program

    def source(self):
        lines = ['from tbe import tik', 'tik_instance = tik.Tik()']
        tensor = '{0} = tik_instance.Tensor("{1}", {2}, name="{0}", scope=tik.scope_{3})'
        for n, (dtype, shape) in self.tensors.items():
            if n.endswith('_gm'):
                lines.append(tensor.format(n, dtype, shape, 'gm, is_workspace=True'))
                continue
            short = -shape[-1] % (32 // SIZES[dtype]) if len(shape) == 1 else 0
            lines.append(tensor.format(n, dtype, (shape[0] + short,) if short else shape, 'ubuf'))
            if short:   # moves take whole blocks
                lines.append(f'{n}, {n}_whole = {n}[0:{shape[0]}], {n}')
                self.whole[n] = n + '_whole'
        for n, a in self.inputs.items():
            lines.append(tensor.format(n, self.gold['in'][n[:-3]][0], a.shape, 'gm'))
        for n, a in self.inputs.items():
            to = self.whole.get(n[:-3], n[:-3])
            lines.append(f'tik_instance.data_move({to}, {n}, 0, 1, {a.nbytes // 32}, 0, 0)')
        for n, (dtype, bits) in self.gold['scalar_in'].items():
            value = to_numbers(patterns(dtype, [bits]), dtype)[0].item()
            lines.append(f'{n} = tik_instance.Scalar("{dtype}", name="{n}", init_value={value!r})')
        for n, (dtype, _) in self.gold['scalar_out'].items():
            lines.append(f'{n} = tik_instance.Scalar("{dtype}", name="{n}")')
        lines += [ast.unparse(MethodCalls().visit(ast.parse(c))) for c in self.calls]
        lines += self.drain(tensor)
        lines.append('tik_instance.BuildCCE(kernel_name="golden", inputs=[%s], outputs=[%s])' % (
            ', '.join(self.inputs), ', '.join(self.outputs)))
        return '\n'.join(lines) + '\n'

    def drain(self, tensor):
        """Statements that bring every result to a global tensor of whole blocks."""
        lines = []
        for n, (dtype, words) in self.gold['out'].items():
            shape = padded(dtype, words).shape
            lines.append(tensor.format(n + '_out', dtype, shape, 'gm'))
            blocks = shape[0] * SIZES[dtype] // 32
            lines.append(f'tik_instance.data_move({n}_out, {self.whole.get(n, n)}, 0, 1, {blocks}, 0, 0)')
        for n, (dtype, _) in self.gold['scalar_out'].items():
            shape = (32 // SIZES[dtype],)
            lines += [tensor.format(n + '_ub', dtype, shape, 'ubuf'), tensor.format(n + '_out', dtype, shape, 'gm'),
                      f'{n}_ub[0].set_as({n})', f'tik_instance.data_move({n}_out, {n}_ub, 0, 1, 1, 0, 0)']
        return lines


def vector_cases(folder):
    return [VectorCase(os.path.join(folder, f)) for f in sorted(os.listdir(folder)) if f.endswith('.gold')]
