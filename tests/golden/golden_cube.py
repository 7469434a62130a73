#!/usr/bin/python3
"""The golden cases q31 to q52 of tests/golden/quant: loads, products and col2img, on the numpy model, on native code
at two optimisation levels and on the emulator. Elements that the manual leaves open are not compared. Ends with
'N passed, N failed'.
usage: golden_cube.py [--match TEXT] [--show]"""
import argparse
import os
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD, ROOT  # noqa
import cube_model as cm  # noqa: E402
from cube_model.program import Program  # noqa: E402
from differential import results  # noqa: E402

GOLDEN = os.path.join(ROOT, 'tests/golden/quant')
WIN = ((5, 6, [1, 1, 1, 1], 1, 1, 3, 3, 1, 1))
WIN_TEXT = '[1, 1, 1, 1], 5, 6'
KERNEL_TEXT = '1, 1, 3, 3, 1, 1'


def load(name):
    return np.load(os.path.join(GOLDEN, name + '.npy'))


def raw(a):
    return np.ascontiguousarray(a).reshape(-1).view(np.uint8).copy()


def bits(flags, size):
    """One flag per element as one per byte."""
    return np.repeat(np.asarray(flags).reshape(-1), size)


class Case:
    """What the model gives, what is expected, which bytes count, and the program's lines."""

    def __init__(self, name, processor='Ascend310P3'):
        self.name = name
        self.p = Program(processor)
        self.p.begin(name)
        self.bad = None

    def model(self, got, want, counts=None):
        wrong = np.asarray(got) != np.asarray(want)
        if counts is not None:
            wrong &= counts
        if wrong.any():
            self.bad = f'{int(wrong.sum())} bytes of the model differ'


def load2d(name, scope, call, processor='Ascend310P3', method='load2dv2'):
    """uint16 elements are small numbers: as float16 they are finite and go through a product."""
    c = Case(f'{name} {method}', processor)
    src, want = load(name + '.src_l1').view(np.float16), load(name + ('.dst_l0a' if scope == 'L0A' else '.dst_l0b'))
    index, repeat, gap, stride, transpose, dec = call
    before = want.copy()   # what is between the fractals stays
    before.reshape(-1, 256)[::gap + 1] = 0
    model = raw(before)
    cm.load2d(model, raw(src), index, repeat, gap, stride, transpose, dec)
    c.model(model, raw(want))
    l1 = c.p.put('L1', 'float16', src)
    dst = c.p.put(scope, 'float16', before)
    if method == 'load2dv1':
        c.p.line(f't.load2dv1({dst}, {l1}, {index}, {repeat}, {stride}, 0, {transpose}, "{"dec" if dec else "inc"}")')
    elif method == 'load_data_with_transpose':
        c.p.line(f't.load_data_with_transpose({dst}, {l1}, tik.LoadData2dTransposeParams({index}, {repeat}, {stride}, '
                 f'{gap}, 0, {int(dec)}))')
    else:
        c.p.line(f't.load2dv2({dst}, {l1}, {index}, {repeat}, {gap}, {stride}, 0, {transpose}, '
                 f'"{"dec" if dec else "inc"}")')
    c.p.take(dst, scope, 'float16', raw(want).tobytes())
    return c


def box():
    """load2dv3 gives the fractals of q31_load2d."""
    c = Case('q31_load2d load2dv3', 'Ascend610Lite')
    src, want = load('q31_load2d.src_l1').view(np.float16), load('q31_load2d.dst_l0a').view(np.float16)
    before = want.copy()
    before.reshape(-1, 256)[::2] = 0
    model = raw(before)
    cm.load2d_box(model, raw(src), 1, 0, 2, 2, 1, 3)
    c.model(model, raw(want))
    l1, dst = c.p.put('L1', 'float16', src), c.p.put('L0A', 'float16', before)
    c.p.line(f't.load2dv3({dst}, {l1}, 1, 0, 2, 2, 1, 3)')
    c.p.take(dst, 'L0A', 'float16', raw(want).tobytes())
    return c


def square(name, dtype, scope):
    """load_data_with_transpose of types whose squares are two fractals: q35."""
    c = Case(name, 'Ascend910B1')
    src, want = load(name + '.src_l1'), load(f'{name}.dst_{scope.lower()}')
    model = np.zeros(want.nbytes, np.uint8)
    cm.load2d_square(model, raw(src), dtype, 1, 3, 1, 0, 2)
    c.model(model, raw(want))
    l1, dst = c.p.put('L1', dtype, src), c.p.put(scope, dtype, want * 0)
    c.p.line(f't.load_data_with_transpose({dst}, {l1}, tik.LoadData2dTransposeParams(1, 3, 2, 1))')
    c.p.take(dst, scope, dtype, raw(want).tobytes())
    return c


def load3dv1(name, c1, fw, fh, jump, mode, repeat):
    c = Case(name)
    src, want = load(name + '.src_l1'), load(name + '.dst_l0a')
    win = cm.Windows(*WIN)
    counts = np.zeros(want.size, bool)
    for j in range(repeat):
        rows = 16 if not mode else min(16, 30 - 16 * j)
        counts[j * jump * 256:j * jump * 256 + rows * 16] = True
    model = np.zeros(want.nbytes, np.uint8)
    cm.load3dv1(model, raw(src), 'float16', win, c1, fw, fh, -1, -1, jump, mode, repeat, -1)
    c.model(model, raw(want), bits(counts, 2))
    l1 = c.p.put('L1', 'float16', src)
    dst = c.p.put('UB', 'float16', np.zeros(want.size, np.float16))
    c.p.line(f't.load3dv1({dst}, {l1}, {WIN_TEXT}, {c1}, {fw}, {fh}, -1, -1, {KERNEL_TEXT}, {jump}, {mode}, {repeat}, '
             f'0, -1)')
    c.p.take(dst, 'UB', 'float16', raw(want).tobytes(), bits(counts, 2))
    return c


def load3dv2(name, scope):
    c = Case(name)
    src = load(name + '.src_l1')
    want = load(name + ('.dst_l0b' if scope == 'L0B' else '.dst_l0a'))
    model = np.zeros(want.nbytes, np.uint8)
    cm.load3dv2(model, raw(src), 'float16', cm.Windows(*WIN), 32, 64, 14, 32, 16, scope, pad_value=-1)
    c.model(model, raw(want))
    l1 = c.p.put('L1', 'float16', src)
    dst = c.p.put(scope, 'float16', np.zeros(want.size, np.float16))
    c.p.line(f't.load3dv2({dst}, {l1}, {WIN_TEXT}, 32, 64, 14, 32, 16, {KERNEL_TEXT}, pad_value=-1)')
    c.p.take(dst, scope, 'float16', raw(want).tobytes())
    return c


def col2img():
    c = Case('q34_col2img')
    before, src, want = (load('q34_col2img.' + n) for n in ('dst_before', 'src_ub', 'dst_after'))
    model = raw(before)
    cm.col2img(model, raw(src), 'float32', cm.Windows(*WIN), 2, 1, -1, -1, 2)
    c.model(model, raw(want))
    dst, s = c.p.put('UB', 'float32', before), c.p.put('UB', 'float32', src)
    c.p.line(f't.col2img({dst}, {s}, {WIN_TEXT}, 2, 1, -1, -1, {KERNEL_TEXT}, 2)')
    c.p.take(dst, 'UB', 'float32', raw(want).tobytes())
    return c


def counted(want, m, n):
    """Which bytes of sums in L0C's layout count."""
    rows, columns = cm.up(m, 16), cm.up(n, 16)
    inside = np.zeros((rows, columns), bool)
    inside[:m, :n] = True
    return bits(inside.reshape(rows, columns // 16, 16).transpose(1, 0, 2), want.dtype.itemsize)


def mmad(name, types, sizes, want, a='a_zz', b='b_zn', start=None, left=None, right=None):
    c = Case(name)
    m, k, n = sizes
    a = load(f'{name}.{a}') if left is None else left
    b = load(f'{name}.{b}') if right is None else right
    model = raw(want) * 0
    if start is not None:
        model = raw(start)
    cm.mmad(model, raw(a), raw(b), types, m, k, n, start is not None)
    counts = counted(want, m, n)
    c.model(model, raw(want), counts)
    left, right = c.p.put('L0A', types[0], a), c.p.put('L0B', types[1], b)
    size = want.size
    dst = c.p.put('L0C', types[2], start) if start is not None else c.p.tensor('L0C', types[2], size)
    c.p.line(f't.mmad({dst}, {left}, {right}, {m}, {k}, {n}, {int(start is not None)})')
    c.p.take(dst, 'L0C', types[2], raw(want).tobytes(), counts)
    return c


def biased():
    c = Case('q43_mmad_bias', 'Ascend910B1')
    a, b, bias, want = (load('q43_mmad_bias.' + n) for n in ('a_zz', 'b_zn', 'bias', 'c_nz'))
    model = raw(want) * 0
    cm.mmad(model, raw(a), raw(b), ('float16', 'float16', 'float32'), 16, 16, 32, bias=raw(bias), bias_dtype='float32')
    c.model(model, raw(want))
    left, right, l1 = c.p.put('L0A', 'float16', a), c.p.put('L0B', 'float16', b), c.p.put('L1', 'float32', bias)
    dst = c.p.tensor('L0C', 'float32', want.size)
    c.p.line(f't.mmad({dst}, {left}, {right}, 16, 16, 32, 0, bias_tensor={l1})')
    c.p.take(dst, 'L0C', 'float32', raw(want).tobytes(), columns=32)
    return c


def tolerance():
    """Sums of general numbers in the reference order; and how far they are from the exact ones."""
    a, b = load('q44_mmad_tol.a_nd'), load('q44_mmad_tol.b_nd')
    want = load('q44_mmad_tol.c_nd_sequential_f32')
    off = np.abs(want - load('q44_mmad_tol.c_nd_float64')) > load('q44_mmad_tol.tolerance')
    types = ('float16', 'float16', 'float32')
    c = mmad('q44_mmad_tol', types, (16, 64, 16), cm.nz(want), left=cm.zz(a, 16), right=cm.zn(b, 16))
    c.bad = c.bad or ('the sums are too far from the exact ones' if off.any() else None)
    half = load('q45_mmad_f16_f16.c_nd_half')
    return [c, mmad('q45_mmad_f16_f16', ('float16',) * 3, (16, 64, 16), cm.nz(half), left=cm.zz(a, 16),
                    right=cm.zn(b, 16))]


def matmul():
    c = Case('q50_matmul')
    a, b, want = load('q50_matmul.a_l1'), load('q50_matmul.b_l1'), load('q50_matmul.dst_l0c')
    model = raw(want) * 0
    cm.matmul(model, raw(a), raw(b), ('float16', 'float16', 'float32'), 24, 48, 32)
    counts = counted(want, 24, 32)
    c.model(model, raw(want), counts)
    left, right = c.p.put('L1', 'float16', a), c.p.put('L1', 'float16', b)
    dst = c.p.tensor('L0C', 'float32', want.size)
    c.p.line(f't.matmul({dst}, {left}, {right}, 24, 48, 32)')
    c.p.take(dst, 'L0C', 'float32', raw(want).tobytes(), counts)
    return c


def conv2d():
    c = Case('q52_conv2d')
    fm, weight, want = load('q52_conv2d.fm_l1'), load('q52_conv2d.weight_l1'), load('q52_conv2d.dst_l0c')
    shapes = ([1, 5, 6, 16], [1, 3, 3, 32, 16], [2, 2], [1, 1, 1, 1], [1, 1])
    model = raw(want) * 0
    cm.conv2d(model, raw(fm), raw(weight), ('float16', 'float16', 'float32'), *shapes)
    counts = counted(want, 9, 32)
    c.model(model, raw(want), counts)
    image, w = c.p.put('L1', 'float16', fm), c.p.put('L1', 'float16', weight)
    dst = c.p.tensor('L0C', 'float32', want.size)
    c.p.line(f't.conv2d({dst}, {image}, {w}, {", ".join(map(str, shapes))})')
    c.p.take(dst, 'L0C', 'float32', raw(want).tobytes(), counts)
    return c


def cases():
    f = ('float16', 'float16', 'float32')
    plain, dec = (1, 3, 1, 2, False, False), (5, 2, 0, 3, True, True)
    out = [load2d('q31_load2d', 'L0A', plain), load2d('q31_load2d_t_dec', 'L0B', dec),
           load2d('q31_load2d_t_dec', 'L0B', dec, 'Ascend910A', 'load2dv1'), box(),
           load2d('q31_load2d_t_dec', 'L0B', dec, 'Ascend910B1', 'load_data_with_transpose'),
           square('q35_square_s8', 'int8', 'L0B'), square('q35_square_f32', 'float32', 'L0A'),
           load3dv1('q32_load3dv1_mode1', 1, 2, 1, 3, 1, 2), load3dv1('q32_load3dv1_mode0', 1, 1, 0, 1, 0, 3),
           load3dv2('q33_load3dv2', 'L0A'), load3dv2('q33_load3dv2_l0b', 'L0B'), col2img(),
           mmad('q40_mmad_f16_f32', f, (20, 24, 18), load('q40_mmad_f16_f32.c_init_nz')),
           mmad('q40_mmad_f16_f32', f, (20, 24, 18), load('q40_mmad_f16_f32.c_acc_nz'),
                start=load('q40_mmad_f16_f32.c_in_nz')),
           mmad('q41_mmad_s8', ('int8', 'int8', 'int32'), (17, 40, 16), load('q41_mmad_s8.c_nz')),
           mmad('q41_mmad_u8s8', ('uint8', 'int8', 'int32'), (16, 32, 16), load('q41_mmad_u8s8.c_nz')),
           mmad('q42_gemv', f, (1, 40, 50), load('q42_gemv.c_fractals'), a='a_nd'), biased()]
    return out + tolerance() + [matmul(), conv2d()]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    ap.add_argument('--show', action='store_true', help='the programs')
    a = ap.parse_args()
    chosen = [c for c in cases() if a.match in c.name]
    runs = [c for c in chosen if c.p.expected]
    if a.show:
        print('\n'.join(c.p.source() for c in runs))
    run = subprocess.run([os.path.join(BUILD, 'tools/diffrun')], input=b''.join(c.p.encode(i) for i, c in
                         enumerate(runs)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    got = results(run.stdout)
    bad = [f'{c.name}: {c.bad}' for c in chosen if c.bad]
    for i, c in enumerate(runs):
        status, detail, tensors = got.get(i, ('crash', run.stderr.decode(errors='replace')[-2000:], {}))
        wrong = c.p.blame(tensors) if status == 'ok' else [(c.name, f'{status} {detail}')]
        bad += [f'{name}: {text}' for name, text in wrong]
    print('\n'.join(bad))
    print(f'{len(chosen) + len(runs) - len(bad)} passed, {len(bad)} failed')
    return 1 if bad or not chosen else 0


if __name__ == '__main__':
    sys.exit(main())
