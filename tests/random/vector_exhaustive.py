#!/usr/bin/python3
"""Functions of one 16-bit operand and conversions from 16 bits, for all 65,536 patterns: native code at two levels, the
emulator and vector_model. Methods that tikc does not compile are skipped and counted. Ends with 'N passed, N failed'.
usage: vector_exhaustive.py [--match TEXT]"""
import argparse
import concurrent.futures
import os
import re
import sys

import numpy as np  # noqa: E402
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
from vector_gen import draw  # noqa: E402
from vector_gen.batch import Batch  # noqa: E402
from vector_gen.elementwise import MODES, pair  # noqa: E402
from vector_model.core import SIZES  # noqa: E402
from vector_random import execute, verdict, supported  # noqa: E402

PART = 16384   # patterns of one call: what fits on the core beside its results
UNARY = ('abs', 'relu', 'not', 'exp', 'ln', 'sqrt', 'rec', 'rsqrt')
SLICED = ('abs', 'relu', 'not', 'exp', 'ln', 'rec', 'rsqrt', 'sin', 'cos')
CALLS = (['v' + f for f in UNARY] + ['vec_' + f for f in UNARY if f != 'sqrt'] + ['h_' + f for f in SLICED]
         + ['vec_rec_high_preci', 'vec_rsqrt_high_preci', 'vec_ln_high_preci', 'vec_expm1_high_preci', 'vconv', 'vec_conv'])
SETTERS = ['set_fp2int_mode']


class Quarter:
    """A call on a quarter of all patterns; the attributes of draw.Draw."""

    def __init__(self, method, processor, operands, part, dst_type, src_type):
        self.method, self.processor, self.operands, self.seed = method, processor, operands, part
        self.profile = draw.PROCESSORS[processor][0]
        patterns = np.arange(part * PART, (part + 1) * PART).astype(np.uint16)
        self.src = draw.Tensor(src_type, patterns)
        self.dst = draw.Tensor(dst_type, np.full(PART, 0x55, f'uint{8 * SIZES[dst_type]}'))
        self.tensors, self.registers, self.steps = [self.src, self.dst], [], []

    def repeats(self):
        return PART * max(SIZES[self.src.dtype], SIZES[self.dst.dtype]) // 256

    def strides(self, old):
        """Arguments after the operands, for the whole quarter: as many calls as repeats need."""
        lanes = 256 // max(SIZES[self.src.dtype], SIZES[self.dst.dtype])
        strides = [lanes * SIZES[t.dtype] // 32 for t in (self.dst, self.src)]
        names = ('dst_rep_stride', 'src_rep_stride')
        blocks = {'dst_blk_stride': 1, 'src_blk_stride': 1} if old else {}
        done, total = 0, self.repeats()
        while done < total:
            n = min(total - done, 200)
            yield done * lanes, lanes, {'repeat_times': n, **blocks, **dict(zip(names, strides))}
            done += n


def unary(method, processor, dtype, part):
    q = Quarter(method, processor, dtype, part, dtype, dtype)
    if method.startswith('h_'):
        q.steps.append((method, {'dst': draw.At(q.dst), 'src': draw.At(q.src)}))
        return q
    work = {}
    if method.endswith('_preci'):
        wide = 'rec_' in method or 'rsqrt' in method
        count = (6 if wide else 11) * 2048 + 64   # up to 6 float32 or 11 float16 for each element of a piece
        t = draw.Tensor('float32' if wide else 'float16', np.zeros(count, np.uint32 if wide else np.uint16), False)
        q.tensors.append(t)
        work = {'work_tensor': draw.At(t)}
    for at, lanes, rest in pieces(q, method, work):
        q.steps.append((method, {'mask': lanes, 'dst': draw.At(q.dst, at), 'src': draw.At(q.src, at), **work, **rest}))
    return q


def pieces(q, method, work):
    """Pieces of a quarter; those with a work tensor are small enough for it."""
    for at, lanes, rest in q.strides(not method.startswith('vec_')):
        if not work:
            yield at, lanes, rest
            continue
        for k in range(0, rest['repeat_times'], 16):
            yield at + k * lanes, lanes, {**rest, 'repeat_times': min(16, rest['repeat_times'] - k)}


def conversion(method, processor, operands, part, mode, setters):
    src_type, dst_type, _ = pair(operands)
    q = Quarter(method, processor, operands, part, draw.SHORT[dst_type], draw.SHORT[src_type])
    q.steps += [(s, {'mode': 1}) for s in setters]
    for at, lanes, rest in q.strides(method == 'vconv'):
        q.steps.append((method, {'mask': lanes, 'round_mode': mode, 'dst': draw.At(q.dst, at),
                                 'src': draw.At(q.src, at), **rest}))
    q.steps += [(s, {'mode': 0}) for s in setters]
    return q


def programs(able, match):
    """(name, [four quarters]) of everything to run: each method and type on the first processor that has it."""
    for method in CALLS:
        if not re.search(match, method):
            continue
        seen = set()
        for processor in [p for m, p in able if m == method]:
            for operands in draw.types(method, processor):
                if operands in seen:
                    continue
                seen.add(operands)
                if 'conv' in method:
                    yield from conversions(able, method, processor, operands)
                elif SIZES.get(operands) == 2:
                    yield f'{method} {operands}', [unary(method, processor, operands, p) for p in range(4)]


def conversions(able, method, processor, operands):
    src_type, dst_type, letter = pair(operands)
    if SIZES[draw.SHORT[src_type]] != 2 or (src_type == 's16' and dst_type[1:] == '8'):
        return
    modes = [[]] + [[s] for s in SETTERS if (s, processor) in able and dst_type[0] in 'us']
    for name in MODES[letter]:
        for setters in modes:
            yield (f'{method} {operands} {name!r} {" ".join(setters)}',
                   [conversion(method, processor, operands, p, name, setters) for p in range(4)])


def run(job):
    name, quarters = job
    bad = []
    for q in quarters:   # a program each: what four leave on the core would not fit
        batch = Batch(q.processor, [q])
        bad += [f'{name} on {q.processor}: {text}' for _, text in verdict(batch, execute([batch])[0])]
    return bad


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    a = ap.parse_args()
    wanted = [(m, p) for m in CALLS + SETTERS for p in draw.PROCESSORS if draw.types(m, p)]
    able = supported(wanted)
    skipped = {m for m, _ in wanted} - {m for m, _ in able}
    work = list(programs(able, a.match))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        bad = [text for wrong in pool.map(run, work) for text in wrong]
    print('\n'.join(bad[:20]))
    print(f'{len(skipped)} methods that tikc does not compile are skipped')
    failed = len({text.split(' on ')[0] for text in bad})
    print(f'{len(work) - failed} passed, {failed} failed')
    return 1 if bad or not work else 0


if __name__ == '__main__':
    sys.exit(main())
