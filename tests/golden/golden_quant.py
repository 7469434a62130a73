#!/usr/bin/python3
"""Golden cases of moves out of the accumulator (tests/golden/quant q10 to q21, tests/golden/move m16 and m17) and all
tables of single elements, on the numpy model, the host back end at two levels and the emulator, in both spellings where
both have the move.

usage: golden_quant.py [--match TEXT] [--keep DIR]. Ends with 'N passed, N failed'."""
import argparse
import os
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa
from quant_model.fixpipe import Blocks, Columns
from quant_model.moves import Move
from quant_program import BACKENDS, ROOT, Fix, Step, compare, run

GOLDEN = os.path.join(ROOT, 'tests', 'golden')


def load(name):
    return np.load(os.path.join(GOLDEN, 'quant' if name.startswith('q') else 'move', name + '.npy'))


def raw(a):
    return np.frombuffer(np.ascontiguousarray(a).tobytes(), np.uint8)


def parameters():
    """{case: {parameter: text}}"""
    out = {}
    for folder in ('move', 'quant'):
        for line in open(os.path.join(GOLDEN, folder, 'cases.tsv')).read().splitlines()[1:]:
            f = line.split('\t')
            out[f[0]] = dict(q.split(' ')[0].split('=', 1) for q in f[2].split(';') if '=' in q.split(' ')[0])
    return out


def number(p, key, dflt=0):
    return int(p.get(key, str(dflt)), 0)


class Case:
    """Steps that follow each other on one destination; want: its bytes at the end."""

    def __init__(self, name, steps, want):
        self.name, self.steps, self.want = name, steps, raw(want)


def enhanced(name, p, src, dst, scale, mode='m', words=None, want=None, before=None):
    """A case of data_copy, in both spellings."""
    want = raw(want if want is not None else load(name + '.ub'))
    before = np.full(len(want), 0xee, np.uint8) if before is None else before
    m = Move(mode, number(p, 'blockCount', 1), number(p, 'blockLen', 1), number(p, 'dstStride'), number(p, 'srcStride'),
             src, dst, scale, number(p, 'deqValue') if words is None else words, number(p, 'sidStoreMode'),
             p.get('isRelu') in ('true', '1'))
    for spelling in ('tensor_mov', 'data_copy'):
        for run_time in ((False, True) if words is None else (False,)):
            yield Case(f'{name} {spelling}{" run time" if run_time else ""}',
                       [Step(m, load(name + '.src_l0c'), before, spelling, run_time)], want)


def quant_cases(p):
    for name in ('q10_deq8_doc', 'q11_deq8_sid0', 'q11_deq8_sid1', 'q11_deq8_sid2'):
        yield from enhanced(name, p[name], 'int32', 'int8', 'DEQ8', want=load(name + '.ub_bytes'))
    name = 'q12_deq8_u8_relu'
    yield from enhanced(name, p[name], 'int32', 'uint8', 'DEQ8', want=load(name + '.ub_bytes'))
    name = 'q13_deq16_half'
    yield from enhanced(name, p[name], 'int32', 'float16', 'DEQ16', want=load(name + '.ub_bytes'))
    yield from enhanced('q14_deq16_s16', p['q14_deq16_s16'], 'int32', 'int16', 'DEQ16')
    for name in ('q15_vdeq16', 'q15_vdeq16_relu'):
        q = dict(p['q15_vdeq16'], isRelu=str(name.endswith('relu')).lower())
        yield from enhanced(name, q, 'int32', 'float16', 'VDEQ16', words=load(name + '.deq_vec').reshape(-1))
    yield from enhanced('q17_vdeq', p['q17_vdeq'], 'int32', 'float16', 'VDEQ',
                        words=load('q17_vdeq.deq_vec').reshape(-1).view(np.uint16))
    yield from enhanced('q18_deq_f16', p['q18_deq_f16'], 'float16', 'float16', 'DEQ')
    for relu in ('0', '1'):
        yield from enhanced('q19_f32_f16_relu' + relu, p['q19_f32_f16_relu' + relu], 'float32', 'float16', 'DEQ_NONE')
    q = dict(p['q20_relu_s32'], isRelu='true')
    yield from enhanced('q20_relu_s32', q, 'int32', 'int32', 'DEQ_NONE')
    yield from enhanced('q21_vector_deq16', p['q21_vector_deq16'], 'int32', 'float16', 'DEQ16', mode='v')


def merge_case():
    """Two copies: fractal 0 to the first halves of blocks, fractal 1 to the second ones."""
    src, words = load('q16_vdeq8_merge.src_l0c').reshape(2, -1), load('q16_vdeq8_merge.deq_vec').reshape(2, -1)
    want = load('q16_vdeq8_merge.ub')
    dst, steps = np.full(512, 0xee, np.uint8), []
    for i in range(2):
        m = Move('m', 1, 1, 0, 0, 'int32', 'int8', 'VDEQ8', words[i], i)
        steps.append(Step(m, src[i], dst))
        dst = steps[-1].expected()
    return Case('q16_vdeq8_merge', steps, want)


def shape(p):
    return [number(p, k, d) for k, d in (('nburst', 1), ('burst_len', 1), ('dst_stride', 0), ('src_stride', 0))]


def move_cases(p):
    for name, mode, dtype in (('m16_mov_m', 'm', 'int32'), ('m16_mov_v', 'v', 'float32'), ('m16_mov_dp', 'dp', 'float16')):
        want = raw(load(name + '.ub_bytes'))
        yield Case(name, [Step(Move(mode, *shape(p[name]), dtype, dtype), load(name + '.src_l0c'),
                               np.full(len(want), 0xee, np.uint8))], want)
    name = 'm16_mov_ub_l0c'
    want = load(name + '.dst_l0c')
    before = np.full(want.size, want.reshape(-1)[256], want.dtype)
    yield Case(name, [Step(Move('m', *shape(p[name]), 'float16', 'float16', to_acc=True), load(name + '.src_ub'), before)],
               want)
    name = 'm17_onthefly'
    for fly, what in ((1, 'add'), (2, 'sub')):
        m = Move('m', 1, 1, 0, 0, 'float32', 'float32', fly=fly, other=raw(load(name + '.src_onthefly')))
        yield Case(f'{name} {what}', [Step(m, load(name + '.src_l0c'), np.zeros(1024, np.uint8))], load(f'{name}.ub_{what}'))


def fixpipe_cases():
    src, s32 = load('q51_fixpipe.src_l0c'), load('q51_fixpipe_s32.src_l0c')
    vector = load('q51_fixpipe_s32.mode_param_vec').view(np.uint16)
    floats = np.tile(load('q51_fixpipe_s32.mode_param_vec').astype(np.float32), 2)
    shape = (2, 24, 0, 0)
    runs = [('q51_fixpipe f32', src, Blocks(*shape, 'float32', 'float32'), 'q51_fixpipe.gm_f32'),
            ('q51_fixpipe f16', src, Blocks(*shape, 'float32', 'float16', 'fp322fp16'), 'q51_fixpipe.gm_f16'),
            ('q51_fixpipe relu', src, Blocks(*shape, 'float32', 'float32', relu=True), 'q51_fixpipe.gm_relu')]
    for soc in ('Ascend310P3', 'Ascend031'):
        scale = vector if soc == 'Ascend310P3' else floats
        more = [('q51_fixpipe_s32 scalar', s32, Blocks(*shape, 'int32', 'float16', 'int322fp16', 0.125), 'q51_fixpipe_s32.gm_scalar'),
                ('q51_fixpipe_s32 vector', s32, Blocks(*shape, 'int32', 'float16', 'int322fp16', scale), 'q51_fixpipe_s32.gm_vector')]
        for name, data, fix, want in runs + more:
            want = raw(load(want))
            yield soc, Case(f'{name} {soc}', [Fix(fix, data, np.full(len(want), 0xee, np.uint8))], want)
    word = 0x000040603D4CCCCD
    for name, fix, want, fill in (
            ('q60_nz2nd', Columns(32, 20, 32, 40, 'int32', 'int32', nd=True), 'q60_nz2nd.gm', -7),
            ('q61_merge_s8', Columns(32, 20, 32, 20, 'int32', 'int8', 'REQ8', word), 'q61_merge_s8.gm', 0),
            ('q62_split_f32', Columns(16, 16, 16, 16, 'float32', 'float32', split=True), 'q62_split_f32.gm', 0)):
        want = load(want)
        for by_register in (False, True):
            for to_l1 in (False, True):
                yield 'Ascend031', Case(f'{name} {"data_copy" if by_register else "fixpipe"}{" to L1" if to_l1 else ""}', [
                    Fix(fix, load(name + '.src_l0c'), np.full(want.shape, fill, want.dtype), by_register, to_l1)], want)


def fixpipe_table():
    """fixpipe_req8_scalar.tsv: rows of one word are elements of one fixpipe, by a word and by equal words."""
    groups = {}
    for r in rows('fixpipe_req8_scalar.tsv'):
        key = (int(r['quant_word'], 16), r['reluEn'], 'int8' if r['sign'] == '1' else 'uint8')
        groups.setdefault(key, []).append((int(r['x']), int(r['expected'])))
    steps, want = [], []
    for (w, relu, dst), pairs in sorted(groups.items()):
        src, out = np.zeros(256, np.int32), np.zeros(256, np.uint8)
        src[:len(pairs)] = [x for x, _ in pairs]
        for mode, words in (('REQ8', w), ('VREQ8', np.full(16, w, np.uint64))):
            fix = Columns(16, 16, 16, 16, 'int32', dst, mode, words, nd=True, relu=relu == '1')
            steps.append(Fix(fix, src, np.zeros(256, np.uint8)))
            out = steps[-1].expected()
            out[:len(pairs)] = np.array([y for _, y in pairs], np.int64).astype(np.uint8)
            want.append(out)
    return steps, want


PRODUCT = """from tbe import tik
t = tik.Tik()
inp = t.Tensor("float32", (512,), name="inp", scope=tik.scope_gm)
out = t.Tensor("float32", (768,), name="out", scope=tik.scope_gm)
l1 = t.Tensor("float32", (512,), name="l1", scope=tik.scope_cbuf)
a = t.Tensor("float32", (256,), name="a", scope=tik.scope_ca)
b = t.Tensor("float32", (256,), name="b", scope=tik.scope_cb)
c = t.Tensor("float32", (256,), name="c", scope=tik.scope_cc)
t.data_move(l1, inp, 0, 1, 64, 0, 0)
t.load2dv2(a, l1, 0, 2, 0, 1, 0)
t.load2dv2(b, l1[256], 0, 2, 0, 1, 0)
t.mmad(c, a, b, 16, 16, 16, 0)
params = tik.FixpipeParamsV220(16, 16, 16, 16)
t.fixpipe(out[0:256], c, params)
t.set_atomic_add(1)
t.fixpipe(out[0:256], c, params)
t.fixpipe(out[256:512], c, params, config=tik.FixpipeConfig.CFG_NZ)
t.fixpipe(out[512:768], c, 1, 32, 0, 0)
t.fixpipe(out[512:768], c, 1, 32, 0, 0, {"relu": True})
t.set_atomic_add(0)
t.BuildCCE(kernel_name="k", inputs=[inp], outputs=[out])
"""


def product_case(keep):
    """What a product leaves in L0C of a 910B, times one, and what its writes under set_atomic_add give."""
    x = np.arange(-100, 156, dtype=np.float32).reshape(16, 16) / 8

    def by_halves(m):
        return m.reshape(16, 2, 8).transpose(1, 0, 2).reshape(-1)

    data = np.concatenate([by_halves(x), by_halves(np.eye(16, dtype=np.float32))])
    want = raw(np.concatenate([2 * x, x, x + np.maximum(x, 0)]))
    for backend in BACKENDS:
        with tempfile.TemporaryDirectory() as folder:
            got = run(TIKC, PRODUCT, data, backend, keep or folder, 'Ascend910B')
        if isinstance(got, str) or not np.array_equal(raw(got), want):
            yield f'{backend}: {got if isinstance(got, str) else "differs"}'


def choice_cases(p):
    """(reading, steps, results) of the readings that are not the usual ones."""
    want = raw(load('m16_mov_v.alt_packed_ub_bytes'))
    m = Move('v', *shape(p['m16_mov_v']), 'float32', 'float32')
    yield 'D3=packed', [Step(m, load('m16_mov_v.src_l0c'), np.full(len(want), 0xee, np.uint8))], [want]
    for i, column in ((0, 'alt_M_19bit'), (1, 'alt_M_19bit_bits')):
        table = list(TABLES[i])
        table[3] = column
        steps, want = table_cases(*table)
        rest = [j for j, s in enumerate(steps) if not s.move.scale.startswith('V')]
        yield 'deq-m19=cut', [steps[j] for j in rest], [want[j] for j in rest]
    bits = np.zeros(256, np.uint32)
    bits[:5] = 0x7f800000, 0xff800000, 0x7fc00001, 0x477ff000, 0x3f800000
    for relu, results in ((False, (0x7c00, 0xfc00, 0x7e00, 0x7c00, 0x3c00)), (True, (0x7c00, 0, 0x7e00, 0x7c00, 0x3c00))):
        out = np.zeros(256, np.uint16)
        out[:5] = results
        m = Move('m', 1, 1, 0, 0, 'float32', 'float16', relu=relu)
        yield 'fp-saturate=keep', [Step(m, bits, np.zeros(512, np.uint8))], [raw(out)]


# ---- tables of single elements ---------------------------------------------------------------------------------

def rows(name):
    lines = open(os.path.join(GOLDEN, 'quant', name)).read().splitlines()
    head = lines[0].split('\t')
    return [dict(zip(head, l.split('\t'))) for l in lines[1:]]


TABLES = [  # file, element, word, expected, scales, types of source and destination
    ('deq8_scalar.tsv', 'x', 'deqValue', 'expected', 'DEQ8', 'int32', 'int8'),
    ('deq16_half_scalar.tsv', 'x', 'deqValue', 'expected_bits', 'DEQ16', 'int32', 'float16'),
    ('deq16_int16_scalar.tsv', 'x', 'deqValue', 'expected', 'DEQ16', 'int32', 'int16'),
    ('deq_half_scalar.tsv', 'x', 'M_bits', 'expected_bits', 'DEQ', 'int32', 'float16'),
    ('deq_f16mul_scalar.tsv', 'a_bits', 'M_bits', 'expected_bits', 'DEQ', 'float16', 'float16'),
    ('cast_f32_f16_scalar.tsv', 'x_bits', None, 'expected_bits', 'DEQ_NONE', 'float32', 'float16'),
]


def table_cases(file, element, word, expected, scale, src, dst):
    """Rows with one word and flags are elements of one move; with relu and DEQ it is VDEQ with 16 equal scales."""
    groups = {}
    for r in rows(file):
        kind = 'uint8' if dst == 'int8' and r['sign'] == '0' else dst
        key = (r[word] if word else '0', r.get('relu', '0'), kind)
        groups.setdefault(key, []).append((int(r[element], 0), int(r[expected], 0)))
    steps, want = [], []
    for (w, relu, kind), pairs in sorted(groups.items()):
        size = np.dtype(kind).itemsize
        for both in ((scale, 'V' + scale) if scale != 'DEQ_NONE' and src == 'int32' else (scale,)):
            if both == 'DEQ' and relu == '1':
                continue
            n = -(-len(pairs) // 256)
            bits, out = np.zeros(n * 256, np.int64), np.zeros(n * 256, np.int64)
            bits[:len(pairs)], out[:len(pairs)] = zip(*pairs)
            narrow = {'int32': np.uint32, 'float16': np.uint16, 'float32': np.uint32}[src]
            words = int(w, 0)
            if both.startswith('V'):
                words = np.full(16, words, np.uint16 if both == 'VDEQ' else np.uint64)
            m = Move('m', 1, n, 0, 0, src, kind, both, words, 2 if size == 1 else 0, relu == '1')
            steps.append(Step(m, bits.astype(np.uint64).astype(narrow), np.zeros(n * 256 * size, np.uint8)))
            w_bytes = raw(out.astype(np.uint64).astype({1: np.uint8, 2: np.uint16}[size]))
            w_bytes = np.where(np.arange(len(w_bytes)) < len(pairs) * size, w_bytes, steps[-1].expected())
            want.append(w_bytes)
    return steps, want


def run_table(table, keep):
    """(number of moves, what is wrong)"""
    steps, want = table_cases(*table)
    bad = [f'model: {s.move}' for s, w in zip(steps, want) if not np.array_equal(s.expected(), w)]
    for first in range(0, len(steps), 60):
        part = slice(first, first + 60)
        bad += [f'{b}: {s and s.move}: {text}' for s, b, text in
                compare(TIKC, steps[part], BACKENDS, want=want[part], keep=keep)]
    return len(steps), bad


def run_case(case, keep, soc='Ascend310P3'):
    bad = []
    if not np.array_equal(case.steps[-1].expected(), case.want):
        bad.append('model')
    want = [s.expected() for s in case.steps[:-1]] + [case.want]
    return bad + [f'{b}: {text}' for _, b, text in compare(TIKC, case.steps, BACKENDS, soc, want=want, keep=keep)]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    ap.add_argument('--keep', help='folder for the programs')
    a = ap.parse_args()
    p = parameters()
    passed = failed = 0
    cases = [('Ascend310P3', c) for c in list(quant_cases(p)) + [merge_case()] + list(move_cases(p))]
    steps, want = fixpipe_table()
    for soc, case in cases + list(fixpipe_cases()):
        if a.match in case.name:
            bad = run_case(case, a.keep, soc)
            passed, failed = passed + (not bad), failed + bool(bad)
            print(''.join(f'{case.name}: {b}\n' for b in bad), end='')
    if a.match in 'fixpipe of a product':
        bad = list(product_case(a.keep))
        passed, failed = passed + (not bad), failed + bool(bad)
        print(''.join(f'fixpipe of a product: {b}\n' for b in bad), end='')
    if a.match in 'fixpipe_req8_scalar.tsv':
        bad = [f'model: {s.fix}' for s, w in zip(steps, want) if not np.array_equal(s.expected(), w)]
        bad += [f'{b}: {s and s.fix}: {t}' for s, b, t in compare(TIKC, steps, BACKENDS, Fix.SOC, want, a.keep)]
        passed, failed = passed + len(steps) - len(bad), failed + len(bad)
        print(''.join(f'fixpipe_req8_scalar.tsv: {b}\n' for b in bad), end='')
    for choice, steps, want in choice_cases(p):
        if a.match in choice:
            bad = compare(TIKC, steps, BACKENDS, want=want, keep=a.keep, choice=choice)
            passed, failed = passed + len(steps) - len(bad), failed + len(bad)
            print(''.join(f'{choice}: {b}: {s and s.move}: {t}\n' for s, b, t in bad), end='')
    for table in TABLES:
        if a.match in table[0]:
            n, bad = run_table(table, a.keep)
            passed, failed = passed + n - len(bad), failed + len(bad)
            print(''.join(f'{table[0]}: {b}\n' for b in bad), end='')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
