"""Golden cases of tests/golden/move that pad, change the layout or repeat what they move, and those of atomic
writes, for run_golden.py. A case is a Move of move_random.py with fixed contents."""
import sys
import os

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
from move_random import Buffer, Move, program
from ref_model import Ref

PROCESSORS = {'m15': 'Ascend310P3'}


class Never:
    """Stands for a random number generator: every operand is a constant, modes are numbers."""

    def random(self):
        return 0.5


class TransferCase(Move):
    error = None
    model_only = False
    choices = ()

    def __init__(self, name, src, dst, calls, want):
        self.kind, self.seed, self.name, self.rnd = name, 0, name, Never()
        self.processor = self.soc = PROCESSORS.get(name[:3], 'Ascend910B1')
        self.src, self.dst, self.calls = src, dst, []
        for method, operands in calls:
            self.add(method, **operands)
        self.outputs = {'c0': want}
        text, data = program([self])
        self.text = text
        self.inputs = {n: np.frombuffer(raw, (src if n[0] == 'a' else dst).dtype) for n, raw in data.items()}

    def source(self):
        return self.text

    def run_model(self):
        got, want = self.expected()[:len(self.outputs['c0'])], self.outputs['c0']
        wrong = [i for i, (a, b) in enumerate(zip(got, want)) if a != b]
        return f'byte {wrong[0]} is {got[wrong[0]]:02x}, expected {want[wrong[0]]:02x}' if wrong else None


def raw_of(array):
    """Bytes of an array, filled up to whole blocks."""
    raw = np.frombuffer(array.tobytes(), np.uint8)
    return np.concatenate([raw, np.zeros(-len(raw) % 32, np.uint8)])


def transfer_cases(load, parameters):
    """load(case.array) gives an array, parameters {case: {name: text}}."""
    def number(name, key):
        return int(parameters[name].get(key, '0').split()[0])

    def one(name, method, scopes, arrays, fill, keys, extra=(), offset=0, dtype=None):
        """A case of one call whose operands are the parameters of the same names; keys: others as {operand: key}."""
        source, result = load(f'{name}.{arrays[0]}'), load(f'{name}.{arrays[1]}')
        t = dtype or parameters[name]['dtype']
        src, dst = Buffer('s', scopes[0], t, raw_of(source)), Buffer('d', scopes[1], t, raw_of(np.full_like(result, fill)))
        o = dict(dst=Ref('d', offset, t), src=Ref('s', 0, t), **{k: number(name, v) for k, v in keys.items()}, **dict(extra))
        return TransferCase(name, src, dst, [(method, o)], result.tobytes())

    pad = {k: k for k in ('nburst', 'burst', 'dst_gap', 'src_gap')}
    nd = {k: k for k in ('nd_num', 'nd_n', 'nd_d', 'src_nd_stride', 'src_n_stride', 'dst_c0_stride', 'dst_n_stride')}
    sides = {'left_padding': 'left_padding', 'right_padding': 'right_padding'}
    nz = dict(nd_num='ndNum', n_value='nValue', d_value='dValue', src_nd_matrix_stride='srcNdMatrixStride',
              src_n_stride='srcNStride', dst_d_stride='dstDStride', dst_nd_matrix_stride='dstNdMatrixStride')
    rep = {k: k for k in ('dst_blk_stride', 'dst_rep_stride')}
    copied = {k: k for k in ('mask', 'repeat_times', 'src_blk_stride', 'src_rep_stride')}
    cases = [
        one('m07_pad_in', 'data_move_pad', ('GM', 'UB'), ('src_gm', 'ub_bytes'), 0xee, {**pad, **sides},
            dict(fill=1, padding_value=0xbc00)),
        one('m07_pad_none', 'data_move_pad', ('GM', 'UB'), ('src_gm', 'ub_bytes'), 0xee, pad, dict(fill=0)),
        one('m07_pad_out', 'data_move_pad', ('UB', 'GM'), ('src_ub', 'gm_bytes'), 0xee, pad, dict(fill=0),
            number('m07_pad_out', 'dst_off_bytes'), 'uint8'),
    ]
    for name, fill in (('m08_nd2nz_a', -7), ('m08_nd2nz_b', -7), ('m08_nd2nz_s8', -7)):
        # The operand that one matrix does not need has no parameter in the table.
        cases.append(one(name, 'data_move_multi_nd2nz', ('GM', 'L1'), ('src_gm', 'dst_l1'), fill, nd,
                         dict(dst_nd_stride=max(number(name, 'dst_nd_stride'), 1))))
    cases.append(one('m09_nz2nd', 'data_copy', ('UB', 'GM'), ('src_ub', 'dst_gm'), 0, nz))
    for name in ('m14_brcb', 'm14_brcb_stride'):
        cases.append(one(name, 'vbcb', ('UB', 'UB'), ('src_ub', 'dst_ub'), -7, dict(rep, repeat_times='repeat')))
    cases += [
        one('m15_brc_l0c', 'broadcast_ub_to_l0c', ('UB', 'L0C'), ('src_ub', 'dst_l0c'), -7,
            {k: k for k in ('nburst', 'burst_len', 'src_gap', 'dst_gap')}),
        one('m15_mmad_brc1', 'mmad_broadcast', ('UB', 'L0C'), ('src_ub', 'dst_l0c'), -7,
            {k: k for k in ('repeat_mode', 'nburst', 'burst_repeat', 'dst_gap', 'src_gap')}),
        one('m18_vcopy', 'vcopy', ('UB', 'UB'), ('src_ub', 'dst_ub'), -7, {**rep, **copied}),
    ]
    return cases + fill_cases(load, number) + atomic_cases(load)


def fill_cases(load, number):
    def one(name, method, element, value, **operands):
        want = load(name + '.dst_l1')
        dst = Buffer('d', 'L1', 'float16', raw_of(np.full_like(want, -7)))
        o = dict(operands, dst=Ref('d', 2 * element, 'float16'), value=value)
        return TransferCase(name, Buffer('s', 'UB', 'float16', raw_of(want[:16])), dst, [(method, o)], want.tobytes())

    units = {k: number('m21_fill_units', k) for k in ('repeat_times', 'block_num', 'dst_gap')}
    return [one('m20_fill_fractals', 'tensor_padding_with_matrix', number('m20_fill_fractals', 'offset'), 0x4100,
                repeat_times=number('m20_fill_fractals', 'repeat_times')),
            one('m21_fill_units', 'init_const_value', 0, 0xbe00, **units)]


def atomic_cases(load):
    def moves(name, dtype, setters, sources, want):
        before, parts = load(name + '.gm_before'), [load(f'{name}.{s}') for s in sources]
        src = Buffer('s', 'UB', dtype, np.concatenate([raw_of(p) for p in parts]))
        calls = [setters]
        for k, p in enumerate(parts):
            calls.append(('data_move', dict(dst=Ref('d', 0, dtype), src=Ref('s', k * p.nbytes, dtype), sid=0, nburst=1,
                                            burst=1, src_stride=0, dst_stride=0)))
        calls.append(('set_atomic_add', dict(mode=0)))
        case = TransferCase(name, src, Buffer('d', 'GM', dtype, raw_of(before)), calls, load(f'{name}.{want}').tobytes())
        case.name += '.' + want
        return case

    return [
        moves('m13_atomic_f32', 'float32', ('set_atomic_add', dict(mode=1)), ('ub1', 'ub2'), 'gm_after'),
        moves('m13_atomic_f16', 'float16', ('set_atomic_add', dict(mode=2)), ('ub1',), 'gm_after'),
    ] + [moves('m13_atomic_s32', 'int32', ('set_atomic_' + op, dict(mode=4)), ('ub1',), 'gm_' + op)
         for op in ('add', 'max', 'min')]
