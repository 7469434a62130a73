#!/usr/bin/python3
"""Random slice movements of 1 to 8 dimensions, both directions, on the host back end and the emulator against
slice_model. Some fields are Scalars; some lists break a rule, which tikc must name.

    slice_random.py

The tool is $TIKC, else build/tikc; TIKC_SLICES movements (400), TIKC_SEED. Ends with 'N passed, N failed'."""
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa
import slice_model
from operand import Names, Operands
from slice_model import Broken

COUNT = int(os.environ.get('TIKC_SLICES', '400'))
SEED = int(os.environ.get('TIKC_SEED', '20240817'))
PER_PROGRAM = 100
UB_BYTES = 16384
GM_BYTES = 65536
DTYPES = ['int8', 'uint8', 'int16', 'uint16', 'float16', 'int32', 'uint32', 'float32']
BACKENDS = [['--backend', 'host', '-O', '2'], ['--backend', 'host', '-O', '0'], ['--backend', 'emu']]


# ---- drawing -----------------------------------------------------------------------------------------------


def draw_counts(r, dims):
    """Segments per dimension; many dimensions of few segments."""
    most = {1: 24, 2: 8, 3: 5, 4: 3}.get(dims, 2)
    return [r.randint(1, most) for _ in range(dims)]


def regroup(r, counts):
    """The same number of segments, spread over the dimensions in another way."""
    out = [1] * len(counts)
    total = int(np.prod(counts))
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23):
        while total % p == 0:
            total //= p
            out[r.randrange(len(out))] *= p
    return out


def draw_list(r, counts, burst, size, aligned):
    """A list with these counts. aligned: every segment starts at a multiple of 32 bytes."""
    unit = 32 // size if aligned else 1
    infos = []
    for d, n in enumerate(counts):
        seg, step = (burst * 32 // size, unit) if d == 0 else (1, 1)
        stride = r.choice([0, 0, r.randint(0, 3), r.randint(0, 9)]) * step
        start = r.choice([0, r.randint(0, 5)]) * step
        end = start + n * seg + (n - 1) * stride - 1
        shape = end + 1 + r.choice([0, 0, r.randint(0, 4)])
        if d == 0:
            shape = -(-shape // step) * step
        infos.append((start, end, stride, burst if d == 0 else 1, shape))
    return infos


def extent(infos, size):
    return (max(slice_model.offsets(infos, size)) + slice_model.segment(infos, size)) * size


class Movement:
    """dst and src are lists; to_ub: from global memory."""

    def __init__(self, r, dtype):
        self.dtype, self.size = dtype, np.dtype(dtype).itemsize
        self.to_ub = r.random() < 0.5
        while True:
            dims = r.randint(1, 8)
            counts = draw_counts(r, dims)
            burst = r.choice([1, 1, 2, 3, r.randint(1, 12)])
            other = counts if r.random() < 0.6 else regroup(r, counts)
            self.dst = draw_list(r, counts, burst, self.size, self.to_ub)
            self.src = draw_list(r, other, burst, self.size, not self.to_ub)
            ub, gm = (self.dst, self.src) if self.to_ub else (self.src, self.dst)
            if extent(ub, self.size) <= UB_BYTES and extent(gm, self.size) <= GM_BYTES:
                break
        self.broken = None

    def spoil(self, r):
        """Changes a field, as a mistake would."""
        infos = r.choice([self.dst, self.src])
        d = r.randrange(len(infos))
        info = list(infos[d])
        info[r.randrange(5)] += r.choice([-1, 1, 8, -8])
        infos[d] = tuple(info)
        try:
            slice_model.check(self.dst, self.src, self.size, self.to_ub)
            ub, gm = (self.dst, self.src) if self.to_ub else (self.src, self.dst)
            if extent(ub, self.size) > UB_BYTES or extent(gm, self.size) > GM_BYTES:
                self.broken = 'tensor-overflow'
        except Broken as e:
            self.broken = e.args[0]


# ---- programs ----------------------------------------------------------------------------------------------


def on_three(r):
    """Expressions on the Scalar n, which is 3."""
    return lambda v: r.choice([f'(n + {v - 3})', f'({v + 3} - n)'] + [f'n * {v // 3}'] * (v % 3 == 0))


def listed(infos, number):
    return '[%s]' % ', '.join('S(%s)' % ', '.join(map(number, info)) for info in infos)


HEAD = '''from tbe import tik
t = tik.Tik()
S = tik.SliceInfo
x = t.Tensor("{0}", ({1},), tik.scope_gm, "x")
u = t.Tensor("{0}", ({2},), tik.scope_gm, "u")
three = t.Tensor("int32", (8,), tik.scope_gm, "three")
y = t.Tensor("{0}", ({3},), tik.scope_gm, "y")
tu = t.Tensor("int32", (8,), tik.scope_ubuf, "tu")
t.data_copy(tu, three, 8)
n = t.Scalar("int32", "n")
n.set_as(tu[0])
ub = t.Tensor("{0}", ({2},), tik.scope_ubuf, "ub")
'''


def program(r, moves, dtype):
    """Each movement has its own part of y: to UB: what UB holds afterwards; from UB: global memory."""
    size = np.dtype(dtype).itemsize
    part = GM_BYTES // size
    text = HEAD.format(dtype, part, UB_BYTES // size, part * len(moves))
    names = Names()
    for i, m in enumerate(moves):
        ops = Operands(r, on_three(r), names)
        number = ops.number if r.random() < 0.5 else str
        dst, src = listed(m.dst, number), listed(m.src, number)
        text += f't.data_move(ub, u, 0, 1, {UB_BYTES // 32}, 0, 0)\n'
        ends = ('ub', 'x') if m.to_ub else (f'y[{i * part}]', 'ub')
        text += '\n'.join(ops.around(f't.data_copy({ends[0]}, {ends[1]}, {dst}, {src}, {len(m.dst)})')) + '\n'
        if m.to_ub:
            text += f't.data_move(y[{i * part}], ub, 0, 1, {UB_BYTES // 32}, 0, 0)\n'
    return text + 't.BuildCCE("k", [x, u, three], y)\n'


def expected(moves, x, u):
    part = len(x)
    y = np.zeros(part * len(moves), x.dtype)
    for i, m in enumerate(moves):
        mine = y[i * part:(i + 1) * part]
        if m.to_ub:
            ub = u.copy()
            slice_model.copy(ub, x, m.dst, m.src)
            mine[:len(ub)] = ub
        else:
            slice_model.copy(mine, u, m.dst, m.src)
    return y


def run(path, backend, folder):
    args = [TIKC, 'run', path] + backend + ['--out', f'y={folder}/y.npy']
    for name in ('x', 'u', 'three'):
        args += ['--in', f'{name}={folder}/{name}.npy']
    return subprocess.run(args, capture_output=True, text=True, timeout=300)


def arrays(r, dtype, folder):
    """x and u as bits."""
    size = np.dtype(dtype).itemsize
    raw = np.random.default_rng(r.randrange(2**32)).integers(0, 256, GM_BYTES + UB_BYTES, dtype=np.uint8)
    x, u = raw[:GM_BYTES].view(f'u{size}'), raw[GM_BYTES:].view(f'u{size}')
    for name, a in (('x', x.view(dtype)), ('u', u.view(dtype)), ('three', np.full(8, 3, np.int32))):
        np.save(f'{folder}/{name}.npy', a)
    return x, u


def write(r, moves, dtype, folder):
    path = f'{folder}/slices.tik'
    with open(path, 'w') as f:
        f.write(program(r, moves, dtype))
    return path


def compare(r, dtype, count, folder):
    """Failures of one program of correct movements."""
    moves = [Movement(r, dtype) for _ in range(count)]
    x, u = arrays(r, dtype, folder)
    path = write(r, moves, dtype, folder)
    want, bad = expected(moves, x, u).reshape(count, -1), 0
    for backend in BACKENDS:
        p = run(path, backend, folder)
        if p.returncode != 0:
            print(f'{" ".join(backend)}: exit code {p.returncode}\n{p.stderr[:2000]}')
            return count
        got = np.load(f'{folder}/y.npy').view(want.dtype).reshape(count, -1)
        for i, m in enumerate(moves):
            if not np.array_equal(got[i], want[i]):
                print(f'{" ".join(backend)}, {dtype}, to_ub {m.to_ub}: dst {m.dst} src {m.src}: other elements')
                bad += 1
    return bad


def refused(r, dtype, folder):
    """Whether tikc names the rule that one movement breaks, at once or on both back ends while it runs; or takes it when
    none is broken."""
    m = Movement(r, dtype)
    m.spoil(r)
    arrays(r, dtype, folder)
    path = write(r, [m], dtype, folder)
    p = subprocess.run([TIKC, 'check', path], capture_output=True, text=True, timeout=60)
    code, ends = p.returncode, [p]
    if code == 0 and m.broken:
        code, ends = 5, [run(path, backend, folder) for backend in BACKENDS]
    # With Scalars, a second mistake may show while compiling, before the run finds the first.
    scalars = re.search(r'\b(n|q\d+)\b', open(path).read().split('tu[0])')[1])
    if code == 1 and m.broken and scalars and ('[slice-' in p.stderr or '[address-align]' in p.stderr):
        return True
    if all(e.returncode == (code if m.broken else 0) and (not m.broken or f'[{m.broken}]' in e.stderr) for e in ends):
        return True
    print(f'{dtype}, to_ub {m.to_ub}: dst {m.dst} src {m.src}: {m.broken} is expected')
    print('\n'.join(e.stderr[:500] for e in ends) + open(path).read().split('tu[0])')[1])
    return False


GOLDEN = os.path.join(ROOT, 'tests', 'golden', 'move')
TABLES = {'m10_slice_doc': ('{16,70,7,3,87},{0,2,1,1,3}', '{0,47,0,3,48},{0,1,0,1,2}'),
          'm11_slice_3d': ('{3,36,5,1,50},{1,3,1,1,4},{0,1,0,1,2}', '{0,23,0,1,24},{0,1,0,1,2},{0,1,0,1,2}')}


def tabled(name):
    """Whether explain-slice says of each segment what the golden table says."""
    rows = [line.split('\t') for line in open(os.path.join(GOLDEN, name + '_addr.tsv')).read().splitlines()]
    columns = [rows[0].index(c) for c in ('segment', 'src_elem', 'dst_elem')]
    want = [[int(row[c]) for c in columns] for row in rows[1:]]
    p = subprocess.run([TIKC, 'explain-slice', *TABLES[name]], capture_output=True, text=True, timeout=60)
    lines = p.stdout.split('dst byte\n')[1].splitlines()
    got = [[int(line.split()[i]) for i in (0, 2, 4)] for line in lines]
    if got != want:
        print(f'explain-slice on {name}: {got}, not {want}')
    return got == want


def main():
    r = random.Random(SEED)
    print(f'seed {SEED}')
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        while passed + failed < COUNT:
            count = min(PER_PROGRAM, COUNT - passed - failed)
            dtype = r.choice(DTYPES)
            bad = compare(r, dtype, count, folder)
            passed, failed = passed + count - min(bad, count), failed + min(bad, count)
        for _ in range(max(20, COUNT // 100)):
            ok = refused(r, r.choice(DTYPES), folder)
            passed, failed = passed + ok, failed + (not ok)
    for name in TABLES:
        ok = tabled(name)
        passed, failed = passed + ok, failed + (not ok)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
