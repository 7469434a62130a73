#!/usr/bin/python3
"""A call built from each prototype compiles: of the calls of call.def and of instructions that are called with the operands
of their form. Arguments are given by the names of the prototype. A call is built twice, without the arguments that have a
default and with all of them at the default that the prototype shows; both have no errors, and their kernels are the same.

Arguments are filled by kind and name (by_kind); prototypes.tsv has what they cannot know, one row a line: calls (ids of
call.def or names of instructions, with * and blanks between them), what, the text. what is an argument, whose text is an
expression, or
    @soc     the processor; without it the first of SOCS that has an element type of the instruction
    @dtype   the element type of tensors that have no other text
    @before  lines before the call, @after lines after it; \\n parts lines
    @call    what stands for the call, in which {call} is the call itself without its receiver
Later rows win. Ends with 'N passed, N failed'.
usage: prototypes.py [--match TEXT] [--print]"""
import argparse
import concurrent.futures
import fnmatch
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa
import call_table  # noqa: E402
import isa_tables  # noqa: E402

SOCS = ('Ascend310P3', 'Ascend910B1', 'Ascend310B1', 'Ascend910A', 'bm1684x')
TYPES = {'F16': 'float16', 'F32': 'float32', 'S8': 'int8', 'U8': 'uint8', 'S16': 'int16', 'U16': 'uint16', 'S32': 'int32',
         'U32': 'uint32', 'S64': 'int64', 'U64': 'uint64', 'BF16': 'bfloat16'}
PRELUDE = '''from tbe import tik
t = tik.Tik()
inputs = []
def room(dtype, length, scope):
    return t.Tensor(dtype, (length,), scope, "room")
def ub(dtype, length=4096):
    return room(dtype, length, tik.scope_ubuf)
def gm(dtype, length=4096):
    inputs.append(room(dtype, length, tik.scope_gm))
    return inputs[-1]
def l1(dtype, length=4096):
    return room(dtype, length, tik.scope_cbuf)
def l0a(dtype, length=4096):
    return room(dtype, length, tik.scope_ca)
def l0b(dtype, length=4096):
    return room(dtype, length, tik.scope_cb)
def l0c(dtype, length=4096):
    return room(dtype, length, tik.scope_cc)
def number(dtype, value=1):
    return t.Scalar(dtype, "number", value)
def reg(dtype):
    return t.Vector(dtype, "reg")
def lanes(dtype, shape=(1, 4, 4, 4)):
    return t.Tensor(dtype, shape, tik.scope_lmem, "lanes")
gm("float16", 64)
'''
END = 't.BuildCCE(kernel_name="k", inputs=inputs, outputs=[])\n'


class Texts:
    """The rows of prototypes.tsv."""

    def __init__(self):
        with open(os.path.join(HERE, 'prototypes.tsv'), encoding='utf-8') as f:
            lines = [line.rstrip('\n') for line in f]
        self.rows = [line.split('\t') for line in lines if line and not line.startswith('#')]
        self.used = set()

    def find(self, call, what, dflt=None):
        found = dflt
        for i, (calls, key, text) in enumerate(self.rows):
            if key == what and any(fnmatch.fnmatchcase(call, pattern) for pattern in calls.split()):
                found = text.replace('\\n', '\n')
                self.used.add(i)
        return found

    def unused(self):
        return [self.rows[i][:2] for i in range(len(self.rows)) if i not in self.used]


def families():
    """{processor: bit of its core in the sets of typeset.def}"""
    bits = {row[0]: i for i, row in enumerate(isa_tables.cores())}
    found = {}
    for name, _, core, *_ in isa_tables.rows('runtime/isa/soc.def', 'SOC'):
        found[name] = bits[core]
    found['bm1684x'] = bits['TPU']
    return found


def types_by_op():
    """{instruction: [(dst type, src type, set of cores)]}"""
    found = {}
    for op, rows in isa_tables.types().items():
        found[op] = [(t, t, where) for t, where in rows]
    for op, dst, src, _, where in isa_tables.pairs():
        found.setdefault(op, []).append((dst, src, where))
    return found


BITS, OP_TYPES = families(), types_by_op()


def prototypes():
    """[(instruction or None, call)], each call once."""
    found, seen = [], set()
    for op, name, form, *_ in isa_tables.rows('runtime/isa/op.def', 'OP'):
        for call in call_table.calls_of(op, name, form):
            found.append((op, call))
            seen.add(call.id)
    return found + [(None, call) for call in call_table.table() if call.id not in seen]


def where_it_is(op, soc):
    """The processor and the element types of dst and src there."""
    for name in [soc] if soc else SOCS:
        for dst, src, cores in OP_TYPES.get(op, []):
            if cores >> BITS[name] & 1 and dst in TYPES and src in TYPES:
                return name, TYPES[dst], TYPES[src]
    return soc or SOCS[0], 'float16', 'float16'


def by_name(name):
    """The number of an argument of kind INT or FIXED."""
    if name.endswith('rep_stride'):
        return '8'
    ones = ('_blk_stride', 'repeat_times', 'repeat_time', 'nburst', 'burst', 'burst_len', 'count')
    return '1' if name.endswith(ones) else '0'


def by_kind(arg, dst, src):
    """The text of an argument."""
    if arg.kind == 'STRUCT':
        return f'tik.{arg.of}()'
    if arg.kind == 'ENUM':
        return f'tik.{arg.of}(0)'
    dtype = dst if arg.name.startswith('dst') else src
    return {'TENSOR': f'ub("{dtype}")', 'SOURCE': f'ub("{dtype}")', 'TENSORS': f'[ub("{dtype}")]', 'INT': by_name(arg.name),
            'FIXED': by_name(arg.name), 'NUMBER': '1', 'SCALAR': 'number("int32")', 'TARGET': 'number("int32")',
            'TARGETS': '[number("int32") for i in range(4)]', 'MASK': '16', 'BOOL': 'False', 'WORD': '"none"', 'ROUND': '"none"', 'SIDE': '"left"', 'MASKMODE': '"normal"', 'TEXT': '"name"',
            'DTYPE': '"float16"', 'SCOPE': 'tik.scope_ubuf', 'SHAPE': '[16]', 'LIST': '[0]', 'DICT': '{}',
            'CONDITION': 'number("int32") > 0', 'ANY': '1'}.get(arg.kind)


RECEIVER = {'CONTAINER': 't', 'MODULE': 'tik', 'TENSOR': 'ub("float16")', 'SCALAR': 'number("int32")', 'PROFILE': 'tik.Dprofile()',
            'ARRAY': 't.ScalarArray("int32", 4)', 'LIST': 't.TensorAddrList(4, tik.scope_gm, "list")[0]'}


class Built:
    """A call: the processor, and the programs without and with its defaults."""

    def __init__(self, op, call, texts):
        self.call = call
        self.soc, dst, src = where_it_is(op, texts.find(call.id, '@soc'))
        dtype = texts.find(call.id, '@dtype')
        dst, src = (dtype, dtype) if dtype else (dst, src)

        def find(what, dflt=None):
            text = texts.find(call.id, what, dflt)
            return text and text.replace('{dst}', dst).replace('{src}', src)
        self.missing, given, optional = [], [], []
        for arg in call.args:
            text = find(arg.name, arg.dflt if arg.dflt is not None else by_kind(arg, dst, src))
            if text is None:
                self.missing.append(arg.name)
            elif arg.dflt is None or text != arg.dflt:
                given.append((arg.name, text))
            else:
                optional.append((arg.name, arg.dflt))
        self.has_defaults = bool(optional)
        around = [find(what, dflt) for what, dflt in (('@before', ''), ('@call', RECEIVER[call.owner] + '.{call}'), ('@after', ''))]
        self.short = self.program(given, [], around)
        self.full = self.program(given, optional, around)

    def program(self, given, optional, around):
        """The arguments' values are made before the call and in one order, so that the same kernel has the same text."""
        before, call, after = around
        lines = [before] + [f'with_{name} = {text}' for name, text in given]
        args = [f'{name}=with_{name}' for name, _ in given] + [f'{name}={text}' for name, text in optional]
        lines += [call.replace('{call}', f'{self.call.name}({", ".join(args)})'), after]
        return PRELUDE + ''.join(line + '\n' for line in lines if line) + END


def kernel(program, soc, folder, name):
    """The text of the compiled kernel, or None, and what tikc says."""
    path, out = os.path.join(folder, name + '.tik'), os.path.join(folder, name + '.ir')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(program)
    r = subprocess.run([TIKC, 'build', '--soc', soc, '--emit', 'ir', '-o', out, path], capture_output=True, text=True, cwd=folder)
    if r.returncode:
        return None, r.stdout + r.stderr
    with open(out, encoding='utf-8') as f:
        return f.read(), ''


def first_error(said):
    return next((line for line in said.split('\n') if 'error' in line), said.split('\n')[0])


def fault(built, folder):
    if built.missing:
        return 'nothing is known to give for ' + ', '.join(built.missing)
    short, said = kernel(built.short, built.soc, folder, f'{built.call.id}_short')
    if short is None:
        return first_error(said)
    full, said = kernel(built.full, built.soc, folder, f'{built.call.id}_full') if built.has_defaults else (short, '')
    if full is None:
        return 'with its defaults: ' + first_error(said)
    return None if short == full else 'with the defaults that the prototype shows it is another kernel'


def verdict(built, folder):
    said = fault(built, folder)
    return said and f'{built.call.id}: {call_table.prototype(built.call)}\n    {built.soc}: {said}'


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--match', default='')
    options.add_argument('--print', action='store_true', help='print the programs')
    options = options.parse_args()
    texts = Texts()
    built = [Built(op, call, texts) for op, call in prototypes() if options.match in call.id]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        said = [s for s in pool.map(lambda b: verdict(b, folder), built) if s]
    if options.print:
        print('\n'.join(b.full for b in built))
    if not options.match:
        said += [f'prototypes.tsv: {calls} has no {what} to fill' for calls, what in texts.unused()]
    print(''.join(s + '\n' for s in said), end='')
    print(f'{len(built) - min(len(said), len(built))} passed, {len(said)} failed')
    return bool(said) or not built


if __name__ == '__main__':
    sys.exit(main())
