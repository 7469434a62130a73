"""Programs for choices.py: readings of scaled moves out of the accumulator (Q2 to Q13), see choice_programs.py.

The model is exact arithmetic of Python on one element after the other, with the products in float32."""
import csv
import os
from fractions import Fraction

import numpy as np

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../golden/quant')
RNG = np.random.default_rng(77)
PROCESSOR = 'Ascend310P3'
SOURCE = '''from tbe import tik
t = tik.Tik()
src = t.Tensor("int32", (%(n)d,), name="src", scope=tik.scope_gm)
dst = t.Tensor("%(dtype)s", (%(room)d,), name="dst", scope=tik.scope_gm)
a = t.Tensor("int32", (%(n)d,), name="a", scope=tik.scope_ubuf)
c = t.Tensor("int32", (%(n)d,), name="c", scope=tik.scope_cc)
b = t.Tensor("%(dtype)s", (%(room)d,), name="b", scope=tik.scope_ubuf)
h = t.Tensor("float16", (32,), name="h", scope=tik.scope_ubuf)
t.vec_dup(32, b.reinterpret_cast_to("float16"), 0.0, %(blocks)d // 2, 2)
t.vec_dup(16, h, 0.5, 1, 8)
t.vec_dup(16, h[16:], 0.25, 1, 8)
t.data_move(a, src, 0, 1, %(n)d // 8, 0, 0)
t.tensor_mov(c, a, "m", 1, %(n)d // 256, 0, 0)
t.tensor_mov(b, c, "m", %(bursts)d, %(n)d // 256 // %(bursts)d, 0, 0, %(scale)s, %(sid)d, %(relu)s)
t.data_move(dst, b, 0, 1, %(blocks)d, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[src], outputs=[dst])
'''


def program(x, dtype, scale, readings, sid=2, relu=False, bursts=1):
    """readings: {name: array of all bytes of dst}"""
    first = readings['']
    text = SOURCE % dict(n=len(x), dtype=dtype, room=len(first), blocks=first.nbytes // 32, scale=scale,
                         sid=0 if dtype == 'float16' or dtype == 'int16' else sid, relu=relu, bursts=bursts)
    return dict(processor=PROCESSOR, source=text, inputs={'src': x},
                readings={name: {'dst': y} for name, y in readings.items()})


def word(m, field=0, mcb=0, offset=0, sign=0, relu=0):
    return int(np.float32(m).view(np.uint32)) | field << 32 | mcb << 36 | (offset & 511) << 37 | sign << 46 | relu << 47


def clamp(v, lo, hi):
    return max(lo, min(hi, v))


def half(p):
    with np.errstate(all='ignore'):
        h = np.float16(p)
    return np.float16(np.copysign(65504, h)) if np.isinf(h) else h


def nearest(p, away):
    p = Fraction(float(p))
    if not away:
        return round(p)
    q = (2 * abs(p) + 1) // 2
    return -q if p < 0 else q


def shift(x, w, reading):
    n = (w >> 32 & 15) + (reading != 'Q2=raw')
    v = -(-x >> n) if reading == 'Q3=to-zero' and x < 0 else x >> n
    return ((v + 32768) & 0xffff) - 32768 if reading == 'Q3=wraps' else clamp(v, -32768, 32767)


def element(x, w, dtype, act, reading):
    x = int(x)
    if dtype == 'int16':
        v = shift(x, w, reading)
        return max(v, 0) if act else v
    skip = dtype == 'float16' and reading == 'Q12=ignored'
    v = shift(x, w, reading) if w >> 36 & 1 and not skip else x
    p = np.float32(v) * np.array(w & 0xffffffff, np.uint32).view(np.float32)
    if dtype == 'float16':
        return half(p if p > 0 or not act else 0)
    offset = w >> 37 & 511
    offset -= 512 if offset >= 256 and reading != 'Q4=unsigned' else 0
    early = act and reading != 'Q8=last'
    lo, hi = (0 if early else -256), 255
    if reading == 'Q6=first':
        q = nearest(np.float32(clamp(float(p), lo, hi) + offset), False)
    elif reading == 'Q5=unlimited':
        q = nearest(p, False)
        q = (max(q, 0) if early else q) + offset
    else:
        q = clamp(nearest(p, reading == 'Q7=away'), lo, hi) + offset
    q = clamp(q, -128, 127) if dtype == 'int8' else clamp(q, 0, 255)
    return max(q, 0) if act and not early else q


def results(x, w, dtype, act, names):
    return {r: np.array([element(v, w, dtype, act, r) for v in x], dtype) for r in ('',) + names}


def numbers(*first):
    """The numbers of the manual's register of readings, then others of all sizes."""
    rest = RNG.integers(-2**31, 2**31, 256 - len(first), np.int64) >> RNG.integers(0, 31, 256 - len(first))
    return np.concatenate([np.array(first, np.int64), rest]).astype(np.int32)


def random_words():
    for dtype, w, act, first, names in (
            ('int8', word(1.0, 0, 1, 0, 1), False, (100, -1), ('Q2=raw', 'Q3=to-zero', 'Q3=wraps')),
            ('int8', word(0.37, 3, 1, -7, 1), False, (-1, -17), ('Q2=raw', 'Q3=to-zero', 'Q3=wraps', 'Q6=first', 'Q7=away')),
            ('int16', word(1.0, 0), False, (-1, 200000), ('Q2=raw', 'Q3=to-zero', 'Q3=wraps')),
            ('int16', word(1.0, 9), True, (-1, 2**30), ('Q2=raw', 'Q3=to-zero', 'Q3=wraps')),
            ('int8', word(1.0, 0, 0, 0x1f6, 1), False, (50,), ('Q4=unsigned', 'Q5=unlimited')),
            ('uint8', word(1.0, 0, 0, -10), False, (400, 265, -3), ('Q4=unsigned', 'Q5=unlimited')),
            ('uint8', word(0.5, 0, 0, 200), False, (5, 9, -700), ('Q5=unlimited', 'Q7=away', 'Q6=first')),
            ('int8', word(0.5, 0, 0, 1, 1), False, (5, 7, -5), ('Q6=first', 'Q7=away')),
            ('int8', word(1.0, 0, 0, -128, 1, 1), True, (-50, 0, 50, 200, 300), ('Q8=last',)),
            ('float16', word(1.0, 3, 1), False, (1000, -1000, 99999), ('Q12=ignored', 'Q2=raw', 'Q3=to-zero')),
            ('float16', word(0.01, 0, 1, 0, 0, 1), True, (-300, 300), ('Q12=ignored', 'Q3=wraps'))):
        x = numbers(*first)
        yield program(x, dtype, w, results(x, w, dtype, act, names), relu=act)


def golden_columns():
    """Readings that the golden table lists."""
    columns = {'alt_no_9bit_saturation': 'Q5=unlimited', 'alt_relu_after_offset': 'Q8=last'}
    groups = {}
    for row in csv.DictReader(open(os.path.join(GOLDEN, 'deq8_scalar.tsv')), delimiter='\t'):
        groups.setdefault((int(row['deqValue'], 16), row['sign'], row['relu']), []).append(row)
    for (w, sign, relu), rows in groups.items():
        dtype = 'int8' if sign == '1' else 'uint8'
        x = np.resize(np.array([int(r['x']) for r in rows], np.int64).astype(np.int32), -(-len(rows) // 256) * 256)
        readings = {name: np.resize(np.array([int(r[column]) for r in rows], dtype), len(x))
                    for column, name in dict(columns, expected='').items()}
        yield program(x, dtype, w, readings, relu=relu == '1')


def halves():
    """sid_store_mode 0 fills one half of each block, and leaves the other."""
    x = numbers(1, 2, 3)
    y = results(x, word(1.0, 0, 0, 0, 1), 'int8', False, ())[''].reshape(16, 16)
    low, high = np.zeros((2, 16, 32), np.int8)
    low[:, :16], high[:, 16:] = y, y
    for sid in (0, 1):
        yield program(x, 'int8', word(1.0, 0, 0, 0, 1), {'': (high if sid else low).reshape(-1),
                                                         'Q10=second-first': (low if sid else high).reshape(-1)}, sid=sid)


def vectors():
    """Two bursts with the scales 0.5, then 0.25."""
    x = np.concatenate([numbers(100, 101), numbers(100, 101)]) >> 12
    stays = np.array([half(np.float32(v) * np.float32(0.5)) for v in x], np.float16)
    second = np.array([half(np.float32(v) * np.float32(0.25)) for v in x], np.float16)
    return program(x.astype(np.int32), 'float16', 'h',
                   {'': stays, 'Q13=advances': np.concatenate([stays[:256], second[256:]])}, bursts=2)


PROGRAMS = list(random_words()) + list(golden_columns()) + list(halves()) + [vectors()]
