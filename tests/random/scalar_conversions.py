#!/usr/bin/python3
"""What set_as, init_value, astype and stores make of one value, for every pair of types, on both back ends against the
numpy model of this file: bits of tensor elements (corrections C1, C3), values of Scalars and Exprs (C4), literals (C5),
and the same values in Scalars that fold to constants, which must give what the run gives.

usage: scalar_conversions.py. TIKC_SEED chooses the seed, TIKC_VALUES the number of random values of each type. Ends with
'N passed, N failed'."""
import os
import subprocess
import sys
import tempfile

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa

SEED = int(os.environ.get('TIKC_SEED', '20241122'))
VALUES = int(os.environ.get('TIKC_VALUES', '64'))
RUN = (('host', '0'), ('host', '2'), ('emu', None))
TYPES = ('uint8', 'int8', 'uint16', 'int16', 'float16', 'bfloat16', 'uint32', 'int32', 'float32', 'uint64', 'int64')
FLOATS = ('float16', 'bfloat16', 'float32')
SIZE = {t: 2 if t == 'bfloat16' else np.dtype(t).itemsize for t in TYPES}
UINT = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
LARGEST = {'float16': 0x7bff, 'bfloat16': 0x7f7f}
NUMBERS = [0, 1, -1, 127, 128, 255, 256, -128, -129, 32767, 32768, 65504, 65519, 65520, 65535, 65536, 2049, 1000000000,
           -1000000000, 2**31 - 1, 2**31, -2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, -2**63, 2**64 - 1, 16777217, 33554435]
HALVES = [0, 0x8000, 1, 0x03ff, 0x3c00, 0x3bff, 0xbe00, 0x57f8, 0x5800, 0x7800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0xffff]
SINGLES = [0, 0x80000000, 1, 0x3f7fffff, 0x3fc00000, 0xbfc00000, 0x42fe6666, 0x43800000, 0x477fe000, 0x477fefff, 0x477ff000,
           0xc77ff000, 0x33000000, 0x33000001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000, 0x5effffff,
           0x5f000000, 0x5f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x7f7f8000]


def values(dtype, r):
    """Bit patterns: corners and random ones."""
    u = UINT[SIZE[dtype]]
    corners = {'float16': HALVES, 'float32': SINGLES, 'bfloat16': [s >> 16 for s in SINGLES]}.get(
        dtype, [n & (1 << 8 * SIZE[dtype]) - 1 for n in NUMBERS])
    random = r.integers(0, 1 << 8 * SIZE[dtype] - 1, VALUES, np.uint64) * 2 + r.integers(0, 2, VALUES, np.uint64)
    return np.concatenate([np.array(corners, np.uint64), random]).astype(u)


def number(dtype, bits):
    """Float types as float32, integers as Python ints."""
    if dtype == 'bfloat16':
        return (bits.astype(np.uint32) << 16).view(np.float32)
    if dtype in FLOATS:
        return bits.view(dtype).astype(np.float32)
    return bits.view(dtype).astype(object)


def narrow(dtype, f):
    """float32 in a float type: one rounding; 16 bits stay finite, and NaN is 0 there."""
    if dtype == 'float32':
        return np.where(np.isnan(f), np.uint32(0x7fc00000), f.view(np.uint32))
    with np.errstate(over='ignore', invalid='ignore'):
        if dtype == 'float16':
            bits = f.astype(np.float16).view(np.uint16)
        else:
            u = f.view(np.uint32).astype(np.uint64)
            bits = (u + 0x7fff + (u >> 16 & 1) >> 16).astype(np.uint16)
    most = LARGEST[dtype]
    bits = np.where((bits & 0x7fff) > most, bits & 0x8000 | most, bits)
    return np.where(np.isnan(f), 0, bits).astype(np.uint16)


def whole(dtype, f):
    lo, hi = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return [0 if x != x else max(lo, min(hi, int(x) if np.isfinite(x) else (hi if x > 0 else lo))) for x in f]


def single(n):
    """An int as float32, rounded once."""
    sign, n = (-1.0, -n) if n < 0 else (1.0, n)
    drop = max(n.bit_length() - 24, 0)
    kept, rest = n >> drop, n & (1 << drop) - 1
    half = (1 << drop) >> 1
    kept += drop > 0 and (rest > half or rest == half and kept & 1)
    return np.float32(sign * float(kept) * 2.0 ** drop)


def converted(to, source, bits):
    """The value of another type (C4)."""
    u, x = UINT[SIZE[to]], number(source, bits)
    if to == source:
        return bits
    if source in FLOATS and to in FLOATS:
        return narrow(to, x)
    if source in FLOATS:
        return np.array([n & (1 << 8 * SIZE[to]) - 1 for n in whole(to, x)], np.uint64).astype(u)
    if to in FLOATS:
        return narrow(to, np.array([single(int(n)) for n in x], np.float32))
    return np.array([int(n) & (1 << 8 * SIZE[to]) - 1 for n in x], np.uint64).astype(u)


def bits_of(to, source, bits):
    """The bits of an element (C1, C3), None where there are none to take."""
    if (to in FLOATS or source in FLOATS) and SIZE[to] != SIZE[source]:
        return None
    wide = bits.view(f'int{8 * SIZE[source]}').astype(np.int64).view(np.uint64) if source.startswith('int') else \
        bits.astype(np.uint64)
    return (wide & np.uint64((1 << 8 * SIZE[to]) - 1)).astype(UINT[SIZE[to]])


def stored(dtype, ub, n):
    """A tensor, and the lines that move it out; the lines before make its elements."""
    room = -(-n * SIZE[dtype] // 32) * 32 // SIZE[dtype]
    return ([f'{ub} = t.Tensor("{dtype}", ({room},), tik.scope_ubuf, "{ub}")',
             f't.vec_dup(8, {ub}.reinterpret_cast_to("int32"), 0, {-(-room * SIZE[dtype] // 32)}, 1)'],
            [f'{ub}_gm = t.Tensor("{dtype}", ({room},), tik.scope_gm, "{ub}_gm")',
             f't.data_move({ub}_gm, {ub}, 0, 1, {room * SIZE[dtype] // 32}, 0, 0)'])


HEAD = ['from tbe import tik', 't = tik.Tik()']
SOC = 'Ascend910B1'


def run_time(source, n):
    """One source type: elements, Scalars and Exprs of every other type. ([lines], [(output, type, of bits)])"""
    room = -(-n * SIZE[source] // 32) * 32 // SIZE[source]
    lines = HEAD + [f'x = t.Tensor("{source}", ({room},), tik.scope_gm, "x")',
                    f'u = t.Tensor("{source}", ({room},), tik.scope_ubuf, "u")',
                    f't.data_move(u, x, 0, 1, {room * SIZE[source] // 32}, 0, 0)']
    body, end, outs = [f'    a = t.Scalar("{source}", "a")', '    a.set_as(u[i])'], [], []
    for to in TYPES:
        of_bits = [('el', 's.set_as(u[i]); {0}[i].set_as(s)'), ('init', '{0}[i] = t.Scalar("{1}", "s", u[i])'),
                   ('st', '{0}[i].set_as(u[i])'), ('arr', 'r = t.ScalarArray("{1}", 2, "r", init_value=u[i]); {0}[i].set_as(r[1])')]
        of_values = [('sc', 's.set_as(a); {0}[i].set_as(s)'), ('as', '{0}[i].set_as(a.astype("{1}"))'), ('sv', '{0}[i].set_as(a)')]
        plain = (to in FLOATS or source in FLOATS) and SIZE[to] != SIZE[source]
        body.append(f'    s = t.Scalar("{to}", "s")')
        for kind, text in ([] if plain else of_bits) + of_values:
            name = f'{kind}_{to}'
            before, after = stored(to, name, n)
            lines += before
            end += after
            body.append('    ' + text.format(name, to))
            outs.append((name + '_gm', to, kind in ('el', 'init', 'st', 'arr')))
    return lines + [f'with t.for_range(0, {n}) as i:'] + body + end, outs


def folded(source, bits):
    """The same values in Scalars that the compiler knows: the bits come from integers of the width."""
    carrier = f'uint{8 * SIZE[source]}'
    lines, end, outs = list(HEAD), [], []
    for to in TYPES:
        before, after = stored(to, f'f_{to}', len(bits))
        lines += before
        end += after
        outs.append((f'f_{to}_gm', to, False))
    for i, b in enumerate(bits):
        lines += [f'w = t.Scalar("{carrier}", "w", {int(b)})', f'a = t.Scalar("{source}", "a", w.reinterpret_cast_to("{source}"))']
        for to in TYPES:
            lines += [f's = t.Scalar("{to}", "s", a); f_{to}[{i}].set_as(s)' if i % 2 else f'f_{to}[{i}].set_as(a.astype("{to}"))']
    return lines + end, outs


def run(lines, outs, inputs, backend, level, folder):
    """{output: bits} or what went wrong."""
    path = os.path.join(folder, 'k.tik')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines + [f't.BuildCCE("k", [{", ".join(inputs)}], [{", ".join(o[0] for o in outs)}])', '']))
    command = [TIKC, 'run', path, '--soc', SOC, '--backend', backend] + (['-O', level] if level else [])
    for name, a in inputs.items():
        np.save(os.path.join(folder, name + '.npy'), a)
        command += ['--in', f'{name}={folder}/{name}.npy']
    for name, _, _ in outs:
        command += ['--out', f'{name}={folder}/{name}.out.npy']
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        return done.stderr[-1500:]
    return {name: np.load(f'{folder}/{name}.out.npy').view(UINT[SIZE[t]]) for name, t, _ in outs}


def compare(title, lines, outs, inputs, source, bits, folder):
    """[(title, message or '')]: one for each back end."""
    found = []
    for backend, level in RUN:
        got, wrong = run(lines, outs, inputs, backend, level, folder), ''
        if isinstance(got, str):
            found.append((f'{title} {backend}', got))
            continue
        for name, to, of_bits in outs:
            want = (bits_of if of_bits else converted)(to, source, bits)
            bad = np.flatnonzero(got[name][:len(bits)] != want)
            if len(bad) and not wrong:
                i = bad[0]
                wrong = f'{name}[{i}]: {source} {bits[i]:x} gives {got[name][i]:x}, expected {want[i]:x} ({len(bad)} wrong)'
        found.append((f'{title} {backend}{level or ""}', wrong))
    return found


def main():
    r = np.random.default_rng(SEED)
    print('seed', SEED)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for source in TYPES:
            bits = values(source, r)
            lines, outs = run_time(source, len(bits))
            room = -(-len(bits) * SIZE[source] // 32) * 32 // SIZE[source]
            x = np.zeros(room, UINT[SIZE[source]])
            x[:len(bits)] = bits
            x = x if source == 'bfloat16' else x.view(source)
            results += compare(source, lines, outs, {'x': x}, source, bits, folder)
            few = bits[:len(bits) - VALUES + 8]
            results += compare('folded ' + source, *folded(source, few), {}, source, few, folder)
    for title, wrong in results:
        if wrong:
            print(f'{title}: {wrong}')
    bad = sum(bool(w) for _, w in results)
    print(f'{len(results) - bad} passed, {bad} failed')
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
