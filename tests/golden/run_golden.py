#!/usr/bin/python3
"""Runs the golden cases of tests/golden on the numpy models, the host back end at two levels and the emulator.

usage: run_golden.py [--tikc PATH] [--match TEXT] [--model-only] [--keep DIR] [--update]

A case of move/ or quant/ is a list of instructions for ref_model.Machine; the same list prints as a TIK
program. One of vector/ is calls for vector_model (golden_vector.py). A case passes on one of them when every
output has the expected bits, or, for a case of an error, when `tikc check` ends with exit code 1 and names
the rule. Cases named in tests/golden/pending.txt are those that tikc cannot compile yet: one that passes
must leave the list. --update, or TIKC_UPDATE=1, writes the bits of a case of this project (vector/n*) anew where the model
and both back ends agree on others; the specification's cases stay as they are. Ends with 'N passed, N failed'.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa
from golden_move import transfer_cases
from golden_vector import VectorCase, vector_cases
from ref_model import SIZES, Buffer, Machine, Ref, numpy_type

GOLDEN = os.path.join(ROOT, 'tests', 'golden')
SOC = 'Ascend310P3'
SCOPES = {'GM': 'scope_gm', 'UB': 'scope_ubuf', 'L1': 'scope_cbuf', 'L0C': 'scope_cc'}

# Operands in call order; '?' marks those that are left out when the instruction has none.
FORMS = {
    'data_copy': ['dst', 'src', 'dst_slice_info', 'src_slice_info', 'dim_value'],
    'data_move': ['dst', 'src', 'sid', 'nburst', 'burst', 'src_stride', 'dst_stride', 'mode?'],
    'set_padding': ['value'],
    'vec_add': ['mask', 'dst', 'src0', 'src1', 'repeat_times', 'dst_rep_stride', 'src0_rep_stride', 'src1_rep_stride'],
    'vec_dup': ['mask', 'dst', 'scalar', 'repeat_times', 'dst_rep_stride'],
}


def rule_aliases():
    """{other name of a rule: its name}"""
    text = open(os.path.join(ROOT, 'runtime/isa/rule.def')).read()
    return {a: name for name, aliases in re.findall(r'^RULE\(\w+, "([\w-]+)", \w+, "([^"]*)"', text, re.M)
            for a in aliases.split()}


RULE_OF = rule_aliases()


class Case:
    """A kernel: buffers, instructions, and what the global outputs must hold."""
    error = None
    model_only = False
    choices = []
    soc = SOC

    def __init__(self, name):
        self.name = name
        self.buffers = {}
        self.inputs = {}
        self.outputs = {}
        self.instrs = []

    def ref(self, name, elem=0):
        b = self.buffers[name]
        return Ref(name, elem * SIZES[b.dtype], b.dtype)

    def move(self, dst, src, nburst, burst, src_stride=0, dst_stride=0, mode=0):
        o = dict(dst=dst, src=src, sid=0, nburst=nburst, burst=burst, src_stride=src_stride, dst_stride=dst_stride)
        if mode:
            o['mode'] = mode
        self.instrs.append(('data_move', o))

    def gm(self, name, dtype, data):
        self.inputs[name] = np.asarray(data)
        self.buffers[name] = Buffer('GM', dtype, self.inputs[name])

    def local(self, name, scope, dtype, elems, data=None):
        """An on-core buffer, loaded with data if given (through UB for L0C)."""
        self.buffers[name] = Buffer(scope, dtype, elems)
        if data is None:
            return
        self.gm(name + '_in', dtype, data)
        size = elems * SIZES[dtype]
        via = name
        if scope == 'L0C':
            via = name + '_stage'
            self.buffers[via] = Buffer('UB', dtype, elems)
        self.move(self.ref(via), self.ref(name + '_in'), 1, size // 32)
        if scope == 'L0C':
            self.move(self.ref(name), self.ref(via), 1, size // (256 * SIZES[dtype]))

    def out(self, name, expected):
        """Copies the whole buffer out (through UB) to be compared with these bytes."""
        b = self.buffers[name]
        size = b.data * SIZES[b.dtype]
        via = name
        if b.scope != 'UB':
            via = name + '_drain'
            self.buffers[via] = Buffer('UB', b.dtype, b.data)
            unit = 256 * SIZES[b.dtype] if b.scope == 'L0C' else 32
            self.move(self.ref(via), self.ref(name), 1, size // unit)
        gm = name + '_out'
        self.buffers[gm] = Buffer('GM', b.dtype, b.data)
        self.outputs[gm] = np.asarray(expected).tobytes()
        self.move(self.ref(gm), self.ref(via), 1, size // 32)

    def run_model(self):
        m = Machine(SOC, self.buffers)
        m.run(self.instrs)
        for name, want in self.outputs.items():
            bad = difference(m.array(name).tobytes(), want)
            if bad:
                return f'{name}: {bad}'
        return None

    # ---- as a program

    def tensor(self, r):
        return r.buffer if r.offset == 0 else f'{r.buffer}[{r.offset // SIZES[r.dtype]}]'

    def operand(self, o, name):
        v = o[name]
        if name.endswith('_slice_info'):
            return '[%s]' % ', '.join('tik.SliceInfo%r' % (tuple(info),) for info in v)
        return self.tensor(v) if isinstance(v, Ref) else repr(v)

    def call(self, op, o):
        args = []
        for p in FORMS[op]:
            if p.rstrip('?') not in o and p.endswith('?'):
                continue
            p = p.rstrip('?')
            text = self.operand(o, p)
            if p == 'mode':
                scopes = {self.buffers[o[k].buffer].scope for k in ('dst', 'src')}
                text = ('ConvReluMode=' if 'L0C' in scopes else 'PadMode=') + text
            args.append(text)
        return f'tik_instance.{op}({", ".join(args)})'

    def source(self):
        lines = ['from tbe import tik', 'tik_instance = tik.Tik()']
        for name, b in self.buffers.items():
            n = b.data if isinstance(b.data, int) else len(b.data)
            lines.append(f'{name} = tik_instance.Tensor("{b.dtype}", ({n},), name="{name}", scope=tik.{SCOPES[b.scope]})')
        lines += [self.call(op, o) for op, o in self.instrs]
        lines.append(f'tik_instance.BuildCCE(kernel_name="golden", inputs=[{", ".join(self.inputs)}], '
                     f'outputs=[{", ".join(self.outputs)}])')
        return '\n'.join(lines) + '\n'


# ---- move cases ----------------------------------------------------------------------------------------------


def load(folder, name):
    return np.load(os.path.join(GOLDEN, folder, name + '.npy'))


def parameters(folder):
    """{case: {parameter: text}} of cases.tsv."""
    out = {}
    for line in open(os.path.join(GOLDEN, folder, 'cases.tsv')).read().splitlines()[1:]:
        f = line.split('\t')
        out[f[0]] = dict(p.strip().split('=', 1) for p in f[2].split(';') if '=' in p)
    return out


def linear_case(p):
    c = Case('m01_linear')
    src = load('move', 'm01_linear.src_gm')
    c.gm('src_gm', 'float16', src)
    c.buffers['ub'] = Buffer('UB', 'float16', len(src))
    c.move(c.ref('ub'), c.ref('src_gm'), int(p['nburst']), int(p['burst']))
    c.out('ub', load('move', 'm01_linear.dst_gm'))
    return c


def rollback_case(p):
    c = Case('m02_rollback')
    c.gm('src_gm', 'float16', load('move', 'm02_rollback.src_gm'))
    c.buffers['src_ub'] = Buffer('UB', 'float16', 32)
    c.buffers['dst_ub'] = Buffer('UB', 'float16', 32)
    c.buffers['dst_gm'] = Buffer('GM', 'float16', 23)
    for i in range(2):
        c.move(c.ref('src_ub', 16 * i), c.ref('src_gm', 7 * i), 1, 1)
    c.instrs.append(('vec_add', dict(mask=32, dst=c.ref('dst_ub'), src0=c.ref('src_ub'), src1=c.ref('src_ub'),
                                     repeat_times=1, dst_rep_stride=1, src0_rep_stride=1, src1_rep_stride=1)))
    for i in range(2):
        c.move(c.ref('dst_gm', 7 * i), c.ref('dst_ub', 16 * i), 1, 1)
    c.outputs['dst_gm'] = load('move', 'm02_rollback.dst_gm').tobytes()
    c.out('src_ub', load('move', 'm02_rollback.src_ub'))
    c.out('dst_ub', load('move', 'm02_rollback.dst_ub'))
    return c


def steps_case():
    """The third worked example, from the list of its steps; every element is doubled."""
    c = Case('m03_large_steps')
    rows = [l.split('\t') for l in open(os.path.join(GOLDEN, 'move', 'm03_large_steps.tsv')).read().splitlines()[1:]]
    n = 2 * 126976
    src = np.random.default_rng(3).integers(0, 2**16, n, dtype=np.uint16).view(np.float16)
    c.gm('src_gm', 'float16', src)
    c.buffers['ub'] = Buffer('UB', 'float16', 126976)
    c.buffers['dst_gm'] = Buffer('GM', 'float16', n)
    for _, _, text, gm, ub, count in rows:
        if text.startswith('vec_add'):
            repeat = int(re.search(r'repeat=(\d+)', text).group(1))
            assert repeat * 128 == int(count)
            r = c.ref('ub', int(ub))
            c.instrs.append(('vec_add', dict(mask=128, dst=r, src0=r, src1=r, repeat_times=repeat, dst_rep_stride=8,
                                             src0_rep_stride=8, src1_rep_stride=8)))
        elif 'GM->UB' in text:
            c.move(c.ref('ub', int(ub)), c.ref('src_gm', int(gm)), 1, 7936)
        else:
            c.move(c.ref('dst_gm', int(gm)), c.ref('ub', int(ub)), 1, 7936)
    with np.errstate(all='ignore'):
        doubled = (src + src).view(np.uint16)
    c.outputs['dst_gm'] = np.where(np.isnan(src), np.uint16(0x7e00), doubled).astype(np.uint16).tobytes()
    return c


def shape_of(p):
    return [int(p[k]) for k in ('nburst', 'burst', 'src_stride', 'dst_stride')]


def strided_case(p):
    c = Case('m04_strided')
    want = load('move', 'm04_strided.ub_bytes')
    c.gm('src_gm', 'uint16', load('move', 'm04_strided.src_gm'))
    c.local('ub', 'UB', 'uint16', len(want) // 2, np.full(len(want) // 2, 0xeeee, np.uint16))
    c.move(c.ref('ub', int(p['dst_off_bytes']) // 2), c.ref('src_gm', int(p['src_off_bytes']) // 2), *shape_of(p))
    c.out('ub', want)
    return c


def ub_ub_case(p):
    c = Case('m05_ub_ub')
    src, want = load('move', 'm05_ub_ub.src_ub'), load('move', 'm05_ub_ub.dst_ub_bytes')
    c.local('src', 'UB', 'int32', len(src), src)
    c.local('dst', 'UB', 'int32', len(want) // 4, np.full(len(want) // 4, 0xeeeeeeee, np.uint32).view(np.int32))
    c.move(c.ref('dst'), c.ref('src'), *shape_of(p))
    c.out('dst', want)
    return c


def pad_case(name, p):
    c = Case(name)
    src, want = load('move', name + '.src_gm'), load('move', name + '.l1_bytes')
    c.gm('src_gm', 'uint8', src)
    c.local('l1', 'L1', 'uint8', len(want), np.full(len(want), 0xee, np.uint8))
    c.instrs.append(('set_padding', dict(value=int(p['padding'].split()[0], 16))))
    c.move(c.ref('l1'), c.ref('src_gm'), *shape_of(p), mode=int(p['PadMode']))
    c.out('l1', want)
    return c


def dup_case(p):
    c = Case('m14_vec_dup')
    want = load('move', 'm14_vec_dup.ub')
    c.local('ub', 'UB', 'float16', len(want), np.full(len(want), -7, np.float16))
    c.instrs.append(('vec_dup', dict(mask=int(p['mask']), dst=c.ref('ub'), scalar=float(p['scalar']),
                                     repeat_times=int(p['repeat_times']), dst_rep_stride=int(p['dst_rep_stride']))))
    c.out('ub', want)
    return c


def fractal_case(p):
    """L0C to UB without a conversion."""
    c = Case('m16_mov_m')
    src, want = load('move', 'm16_mov_m.src_l0c'), load('move', 'm16_mov_m.ub_bytes')
    c.local('l0c', 'L0C', 'int32', len(src), src)
    c.local('ub', 'UB', 'int32', len(want) // 4, np.full(len(want) // 4, 0xeeeeeeee, np.uint32).view(np.int32))
    c.move(c.ref('ub'), c.ref('l0c'), int(p['nburst']), int(p['burst_len']), int(p['src_stride']), int(p['dst_stride']))
    c.out('ub', want)
    return c


def to_l0c_case(p):
    c = Case('m16_mov_ub_l0c')
    src, want = load('move', 'm16_mov_ub_l0c.src_ub'), load('move', 'm16_mov_ub_l0c.dst_l0c')
    c.local('ub', 'UB', 'float16', len(src), src)
    c.local('l0c', 'L0C', 'float16', len(want), np.full(len(want), want.reshape(-1)[256], np.float16))
    c.move(c.ref('l0c'), c.ref('ub'), int(p['nburst']), int(p['burst_len']), int(p['src_stride']), int(p['dst_stride']))
    c.out('l0c', want)
    return c


def convert_case(name, p, code):
    c = Case(name)
    src, want = load('quant', name + '.src_l0c'), load('quant', name + '.ub')
    c.local('l0c', 'L0C', str(src.dtype), len(src), src)
    c.buffers['ub'] = Buffer('UB', str(want.dtype), len(want))
    c.move(c.ref('ub'), c.ref('l0c'), int(p['blockCount']), int(p['blockLen']), mode=code)
    c.out('ub', want)
    return c


def values_case(relu):
    """Single values float32 to float16, in one fractal."""
    c = Case('cast_f32_f16_relu' if relu else 'cast_f32_f16')
    rows = [l.split('\t') for l in open(os.path.join(GOLDEN, 'quant', 'cast_f32_f16_scalar.tsv')).read().splitlines()[1:]]
    src, want = np.zeros(256, np.uint32), np.zeros(256, np.uint16)
    chosen = [(int(x, 16), int(y, 16)) for x, r, y in rows if int(r) == relu]
    for i, (x, y) in enumerate(chosen):
        src[i], want[i] = x, y
    c.local('l0c', 'L0C', 'float32', 256, src.view(np.float32))
    c.buffers['ub'] = Buffer('UB', 'float16', 256)
    c.move(c.ref('ub'), c.ref('l0c'), 1, 1, mode=2 if relu else 1)
    c.out('ub', want)
    return c


# ---- slices --------------------------------------------------------------------------------------------------


def infos_of(text):
    """{{16,70,7,3,87},{0,2,1,1,3}} as tuples."""
    return [tuple(map(int, t.split(','))) for t in re.findall(r'{([\d,]+)}', text)]


def slice_case(name, dtype, dst_infos, src_infos, src, to_ub, want):
    """One movement; what it does not access keeps its value, the filling of want."""
    c = Case(name)
    o = dict(dst_slice_info=dst_infos, src_slice_info=src_infos, dim_value=len(dst_infos))
    if to_ub:
        c.gm('src_gm', dtype, src)
        c.local('ub', 'UB', dtype, len(want), np.full(len(want), want[-1]))
        c.instrs.append(('data_copy', dict(o, dst=c.ref('ub'), src=c.ref('src_gm'))))
        c.out('ub', want)
        return c
    c.local('ub', 'UB', dtype, len(src), src)
    c.local('fill', 'UB', dtype, len(want), np.full(len(want), want[0]))
    c.buffers['dst_gm'] = Buffer('GM', dtype, len(want))
    c.move(c.ref('dst_gm'), c.ref('fill'), 1, want.nbytes // 32)
    c.instrs.append(('data_copy', dict(o, dst=c.ref('dst_gm'), src=c.ref('ub'))))
    c.outputs['dst_gm'] = want.tobytes()
    return c


def slice_cases(p):
    doc, deep, out = (dict(p[n], name=n) for n in ('m10_slice_doc', 'm11_slice_3d', 'm12_slice_out'))
    lists = {q['name']: (infos_of(q['dstSliceInfo']), infos_of(q['srcSliceInfo'])) for q in (doc, deep, out)}
    dst, src = lists['m10_slice_doc']
    at = lambda what: load('move', what).reshape(-1)
    yield slice_case('m10_slice_doc', 'float32', dst, src, at('m10_slice_doc.src_gm'), True, at('m10_slice_doc.ub'))
    yield slice_case('m10_slice_doc_back', 'float32', dst, dst, at('m10_slice_doc.ub'), False,
                     at('m10_slice_doc.dst_gm'))
    yield slice_case('m11_slice_3d', 'float32', *lists['m11_slice_3d'], at('m11_slice_3d.src_gm'), True,
                     at('m11_slice_3d.ub'))
    yield slice_case('m12_slice_out', 'float16', *lists['m12_slice_out'], at('m12_slice_out.src_ub'), False,
                     at('m12_slice_out.dst_gm'))


# Further parameter sets of the specification: dimension 0 of source and destination; lines 0 and 2 of 3 to 2 lines.
SLICE_SETS = [('int32', (16, 71, 8, 3, 88), (0, 47, 0, 3, 48)), ('float16', (16, 63, 16, 1, 80), (0, 31, 0, 1, 32)),
              ('float16', (16, 62, 15, 1, 80), (0, 31, 0, 1, 32)), ('int8', (16, 111, 32, 1, 128), (0, 63, 0, 1, 64)),
              ('int8', (16, 110, 31, 1, 127), (0, 63, 0, 1, 64))]


def further_slices():
    """Both ways: lines are cut out, and put back into a plane of zeros."""
    for i, (dtype, gm, ub) in enumerate(SLICE_SETS):
        start, end, stride, burst, shape = gm
        seg = burst * 32 // SIZES[dtype]
        plane = np.random.default_rng(i).integers(1, 100, (3, shape)).astype(dtype)
        columns = [c + k for c in range(start, end + 1, seg + stride) for k in range(seg)]
        lines = plane[np.ix_([0, 2], columns)].reshape(-1)
        put = np.zeros((3, shape), dtype)
        put[np.ix_([0, 2], columns)] = lines.reshape(2, -1)
        room = np.zeros(-(-put.nbytes // 32) * 32 // SIZES[dtype], dtype)
        room[:put.size] = put.reshape(-1)
        many, few = [gm, (0, 2, 1, 1, 3)], [ub, (0, 1, 0, 1, 2)]
        yield slice_case(f'slice_set{i}_{dtype}', dtype, few, many, plane.reshape(-1), True, lines)
        yield slice_case(f'slice_set{i}_{dtype}_back', dtype, many, few, lines, False, room)


def all_cases():
    p = parameters('move')
    cases = [linear_case(p['m01_linear']), rollback_case(p['m02_rollback']), steps_case(),
              strided_case(p['m04_strided']), ub_ub_case(p['m05_ub_ub'])]
    cases += [pad_case(n, p[n]) for n in sorted(p) if n.startswith('m06_padmode')]
    cases += [dup_case(p['m14_vec_dup']), fractal_case(p['m16_mov_m']), to_l0c_case(p['m16_mov_ub_l0c'])]
    q = parameters('quant')
    for name, code in (('q19_f32_f16_relu0', 1), ('q19_f32_f16_relu1', 2), ('q20_relu_s32', 5)):
        cases.append(convert_case(name, q[name], code))
    cases += list(slice_cases(p)) + list(further_slices())
    cases += transfer_cases(lambda name: load('move', name), p)
    return cases + [values_case(0), values_case(1)]


# ---- running ---------------------------------------------------------------------------------------------------


def difference(got, want):
    for i, (a, b) in enumerate(zip(got, want)):
        if a != b:
            return f'byte {i} is {a:02x}, expected {b:02x}'
    return None if len(got) == len(want) else f'{len(got)} bytes, expected {len(want)}'


BACKENDS = {'host -O0': ['--backend', 'host', '-O', '0'], 'host -O2': ['--backend', 'host', '-O', '2'],
            'emu': ['--backend', 'emu']}


def refused(tikc, case, path):
    p = subprocess.run([tikc, 'check', path, '--soc', case.soc], capture_output=True, text=True, timeout=60)
    text = p.stdout + p.stderr
    return None if p.returncode == 1 and f'[{RULE_OF.get(case.error, case.error)}]' in text else f'exit code {p.returncode}\n{text}'


def run_tool(tikc, case, backend, folder):
    path = os.path.join(folder, case.name + '.tik')
    with open(path, 'w') as f:
        f.write(case.source())
    if case.error:
        return refused(tikc, case, path)
    args = [tikc, 'run', path, '--soc', case.soc] + BACKENDS[backend] + [f'--choice={c}' for c in case.choices]
    for name, data in case.inputs.items():
        file = os.path.join(folder, name + '.npy')
        np.save(file, data)
        args += ['--in', f'{name}={file}']
    for name in case.outputs:
        args += ['--out', f'{name}={os.path.join(folder, name + ".npy")}']
    p = subprocess.run(args, capture_output=True, text=True, timeout=60)
    if p.returncode != 0:
        return f'exit code {p.returncode}\n{p.stdout}{p.stderr}'
    for name, want in case.outputs.items():
        got = np.load(os.path.join(folder, name + '.npy')).tobytes()
        bad = difference(got[:len(want)], want)   # outputs of vector cases are filled up to whole blocks
        if bad:
            return f'{name}: {bad}'
    return None


def read_pending():
    lines = open(os.path.join(GOLDEN, 'pending.txt')).read().splitlines()
    return {l.strip() for l in lines if l.strip() and not l.startswith('#')}


def run_case(a, case, folder, pending):
    """[(where, what is wrong or None)]"""
    runs = []
    if not case.error:
        runs.append(('model', case.run_model()))
    if a.model_only or case.model_only:
        return runs
    tool = [(b, run_tool(a.tikc, case, b, folder)) for b in (['check'] if case.error else BACKENDS)]
    if case.name not in pending:
        return runs + tool
    if not any(bad for _, bad in tool):
        runs.append(('tikc', 'passes, but is listed in tests/golden/pending.txt'))
    return runs


def results(case, folder):
    return {n: np.load(os.path.join(folder, n + '.npy')).tobytes() for n in case.outputs}


def run_updating(a, case, folder, pending):
    """As run_case. A case of ours that fails everywhere gets the bits of the emulator, if the model and native code have
    the same."""
    runs = run_case(a, case, folder, pending)
    ours = getattr(case, 'path', None) and re.match(r'n\d', case.name) and not case.error
    if not a.update or not ours or not all(bad for _, bad in runs):
        return runs
    before = case.expect(results(case, folder))
    fresh = run_case(a, VectorCase(case.path), folder, pending)
    if any(bad for _, bad in fresh):
        with open(case.path, 'w') as f:
            f.write(before)
        return runs
    print(f'updated: {case.path}')
    return fresh


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--tikc', default=os.environ.get('TIKC', os.path.join(ROOT, 'build', 'tikc')))
    ap.add_argument('--match', default='')
    ap.add_argument('--model-only', action='store_true')
    ap.add_argument('--keep', help='folder for the programs')
    ap.add_argument('--update', action='store_true', default=os.environ.get('TIKC_UPDATE') == '1')
    a = ap.parse_args()
    passed = failed = 0
    cases = all_cases() + vector_cases(os.path.join(GOLDEN, 'vector'))
    pending = read_pending()
    for name in sorted(pending - {c.name for c in cases}):
        print(f'tests/golden/pending.txt: no case {name}')
        failed += 1
    with tempfile.TemporaryDirectory() as temporary:
        for case in cases:
            if a.match not in case.name:
                continue
            for what, bad in run_updating(a, case, a.keep or temporary, pending):
                passed, failed = passed + (bad is None), failed + (bad is not None)
                if bad:
                    print(f'{case.name} on {what}: {bad}')
    if pending:
        print(f'{len(pending)} cases are pending')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
