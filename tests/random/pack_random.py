#!/usr/bin/python3
"""Random convolution constants on every target with lanes: packed by tikc, moved through local memory on both
back ends, against pack_model. What the target has no rule for must be refused with pack-type.

    pack_random.py

The tool is $TIKC, else build/tikc; TIKC_PACKS constants (240), TIKC_SEED. Ends with 'N passed, N failed'."""
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa
import pack_model

COUNT = int(os.environ.get('TIKC_PACKS', '240'))
SEED = int(os.environ.get('TIKC_SEED', '20240817'))
PER_PROGRAM = 8
DTYPES = ['int8', 'uint8', 'int8', 'float16', 'float32', 'int32', 'int4', 'uint4']
HALF = {'int4': ('int8', -8, 8), 'uint4': ('uint8', 0, 16)}
BACKENDS = [['--backend', 'host'], ['--backend', 'emu']]


class Constant:
    def __init__(self, r, name, lanes):
        self.name = name
        self.dtype = r.choice(DTYPES)
        self.depthwise = r.random() < 0.25
        most = r.choice([3, lanes, 2 * lanes + 3])
        oc, ic = r.randint(1, most), 1 if self.depthwise else r.choice([r.randint(1, 7), r.randint(1, 150)])
        self.shape = (oc, ic, r.randint(1, 5), r.randint(1, 5))
        bits = np.random.default_rng(r.getrandbits(32))
        if self.dtype in HALF:
            whole, lo, hi = HALF[self.dtype]
            self.w = bits.integers(lo, hi, self.shape).astype(whole)
        else:
            self.w = bits.integers(0, 256, oc * ic * self.shape[2] * self.shape[3] * np.dtype(self.dtype).itemsize,
                                   np.uint8).view(self.dtype).reshape(self.shape)
        word = lambda lo, hi: bits.integers(lo, hi, oc).astype(np.int32)
        self.bias = word(-2**31, 2**31) if r.random() < 0.5 else None
        self.requant = (word(-2**31, 2**31), word(0, 32), word(-128, 128)) if r.random() < 0.5 else None

    def packed(self, target):
        return pack_model.pack(target, self.w, self.bias, self.requant, self.depthwise, self.dtype in HALF)

    def lines(self):
        """The statements that make it, as k."""
        n = self.name
        lines = ['w = t.Const("%s", %s, name="w", init="%s_w.npy")' % (self.dtype, self.shape, n)]
        more = ''
        if self.bias is not None:
            lines.append('b = t.Const("int32", (%d,), name="b", init="%s_b.npy")' % (self.shape[0], n))
            more += ', bias=b'
        if self.requant is not None:
            lines.append('q = t.requant(mul=%s, shift=%s, zp=%s)' % tuple(x.tolist() for x in self.requant))
            more += ', requant=q'
        return lines + ['k = t.pack_conv(weight=w%s, depthwise=%s, name="%s")' % (more, self.depthwise, n)]

    def files(self):
        return {'w': self.w, **({} if self.bias is None else {'b': self.bias})}


class Params:
    """Parameters of output channels, where they are kept apart from the weight."""
    dtype, depthwise = 'params', False

    def __init__(self, r, name, lanes):
        self.name, oc = name, r.randint(1, 2 * lanes + 3)
        self.shape = (oc,)
        bits = np.random.default_rng(r.getrandbits(32))
        self.planes = r.random() < 0.3
        self.bias = bits.integers(-2**31, 2**31, oc).astype(np.int32) if self.planes or r.random() < 0.6 else None
        self.bias = self.bias.view(np.float32) if self.planes else self.bias
        self.requant = None if self.planes else \
            (bits.integers(-2**31, 2**31, oc).astype(np.int32), bits.integers(0, 256, oc).astype(np.int32))
        if r.random() < 0.2 and not self.planes:   # one number for all
            self.requant = (self.requant[0], np.full(oc, self.requant[1][0]))

    def packed(self, target):
        return pack_model.params(self.bias, *(self.requant or (None, None))) if target.order == 'plain' else None

    def lines(self):
        lines, more = [], ''
        if self.bias is not None:
            kind = 'float32' if self.planes else 'int32'
            lines.append('b = t.Const("%s", %s, name="b", init="%s_b.npy")' % (kind, self.shape, self.name))
            more = 'bias=b, '
        if self.requant is not None:
            shift = self.requant[1].tolist()
            shift = shift[0] if len(set(shift)) == 1 else shift
            lines.append('q = t.requant(mul=%s, shift=%s)' % (self.requant[0].tolist(), shift))
            more += 'requant=q, '
        return lines + ['k = t.pack_params(%sname="%s")' % (more, self.name)]

    def files(self):
        return {} if self.bias is None else {'b': self.bias}


def source(name, constants, results):
    lines = ['from tbe import tik', 't = tik.Tik(tik.Dprofile("%s"))' % name]
    for c in constants:
        n = c.name
        lines += c.lines()
        if n in results:
            dtype, shape = results[n].dtype, results[n].shape
            dtype = 'uint8' if c.dtype in HALF else 'bfloat16' if dtype == np.uint16 else dtype
            lines += ['%s_out = t.Tensor("%s", %s, name="%s_out", scope=tik.scope_gm)' % (n, dtype, shape, n),
                      'with t.new_stmt_scope():',
                      '    l = t.Tensor("%s", %s, name="l", scope=tik.scope_lmem, layout="compact")' % (dtype, shape),
                      '    t.data_move(l, k)', '    t.data_move(%s_out, l)' % n]
    outs = ', '.join(n + '_out' for n in results)
    return '\n'.join(lines + ['t.BuildCCE(kernel_name="k", inputs=[], outputs=[%s])' % outs]) + '\n'


def write_parts(folder, constants):
    for c in constants:
        for part, array in c.files().items():
            np.save(os.path.join(folder, '%s_%s.npy' % (c.name, part)), array)


def call(args):
    return subprocess.run([TIKC] + args, capture_output=True, text=True, timeout=120)


def check_refused(folder, target, c, options):
    path = os.path.join(folder, 'refused.tik')
    open(path, 'w').write(source(target, [c], {}))
    return '[pack-type]' in call(['check', path] + options).stderr


def check_packed(folder, target, constants, results, options):
    path = os.path.join(folder, 'packed.tik')
    open(path, 'w').write(source(target, constants, results))
    bad = 0
    for backend in BACKENDS:
        outs = [x for n in results for x in ('--out', '%s_out=%s/%s_out.npy' % (n, folder, n))]
        done = call(['run', path] + options + backend + outs)
        for n, want in results.items():
            same = done.returncode == 0 and \
                np.load('%s/%s_out.npy' % (folder, n)).tobytes() == np.ascontiguousarray(want).tobytes()
            if not same:
                bad += 1
                c = next(c for c in constants if c.name == n)
                print(target, options, backend[1], c.dtype, c.shape, c.depthwise, c.bias is not None, c.requant is not None,
                      done.stderr[:400])
    return bad


def program(r, number, folder):
    name = r.choice(sorted(pack_model.TARGETS))
    target, options = pack_model.TARGETS[name], []
    if number % 3 == 2:
        target, options = pack_model.with_runs(target), ['--choice', 'W1=runs']
    # a lane of the small target has 1 KiB; others hold whatever is drawn
    lanes = min(target.lanes, 4) if name == 'toy4x16' else target.lanes
    constants = [(Params if r.random() < (0.6 if target.order == 'plain' else 0.05) else Constant)(r, 'k%d' % i, lanes)
                 for i in range(PER_PROGRAM)]
    packed = {c.name: c.packed(target) for c in constants}
    room = {'toy4x16': 1024}.get(name, 32768)
    fits = lambda a: a is not None and -(-a.shape[1] // target.lanes) * a.nbytes // a.shape[1] <= room
    results = {n: a for n, a in packed.items() if fits(a)}
    write_parts(folder, constants)
    bad = sum(not check_refused(folder, name, c, options) for c in constants if packed[c.name] is None)
    good = [c for c in constants if packed[c.name] is not None]
    if results:
        bad += check_packed(folder, name, good, results, options)
    if bad:
        print('program', number, 'of seed', SEED, 'on', name)
    return len(results) * len(BACKENDS) + sum(a is None for a in packed.values()), bad


def main():
    checks = failed = 0
    for number in range(-(-COUNT // PER_PROGRAM)):
        with tempfile.TemporaryDirectory() as folder:
            n, bad = program(random.Random(SEED * 1000003 + number), number, folder)
            checks, failed = checks + n, failed + bad
    print('%d passed, %d failed' % (checks - failed, failed))
    sys.exit(failed != 0)


if __name__ == '__main__':
    main()
