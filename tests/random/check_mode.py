#!/usr/bin/python3
"""run --mode check against the runs themselves: random kernels that write and read parts of tensors, with masks, strides and moves, are
run twice on the emulator, once with local memory full of zeros and once full of ones. Where the results differ, something was used that
nothing had written, and the mode must have said so. Kernels that write all that they read must not be reported, and cores that write
the same bytes must be. TIKC_SEED and TIKC_KERNELS choose the kernels."""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from paths import TIKC  # noqa: E402

SEED = int(os.environ.get('TIKC_SEED', '1'))
KERNELS = int(os.environ.get('TIKC_KERNELS', '60'))
ELEMS = 512  # of each tensor, int16
FOUND = re.compile(r'\[(uninit|pad-read)\]')


def mask(rng):
    kind = rng.randrange(3)
    if kind == 0:
        return str(rng.randrange(1, 129))
    if kind == 1:
        return '128'
    return '[%d, %d]' % (rng.getrandbits(64), rng.getrandbits(64) | 1)


def place(rng, name, room):
    return '%s[%d]' % (name, rng.randrange(0, (ELEMS - room) // 16 + 1) * 16)


def statement(rng):
    names = rng.sample(['a', 'b', 'c'], 3)
    kind = rng.randrange(6)
    if kind == 0:  # a part of the input
        blocks = rng.randrange(1, 17)
        return 't.data_move(%s, %s, 0, 1, %d, 0, 0)' % (place(rng, names[0], blocks * 16), place(rng, 'x', blocks * 16), blocks)
    if kind == 1:  # parts with gaps between them
        return 't.data_move(%s, %s, 0, %d, 1, %d, %d)' % (
            place(rng, names[0], 256), place(rng, names[1], 256), rng.randrange(1, 5), rng.randrange(3), rng.randrange(3))
    repeats = rng.randrange(1, 3)
    strides = ', '.join(str(rng.choice((4, 8, 8))) for _ in range(3))
    operands = ', '.join(place(rng, n, 128 + 128 * (repeats - 1)) for n in names)
    if kind == 2:
        return 't.vec_dup(%s, %s, %d, %d, 8)' % (mask(rng), place(rng, names[0], 256), rng.randrange(9), repeats)
    if kind == 3:
        return 't.vec_max(%s, %s, %d, %s)' % (mask(rng), operands, repeats, strides)
    if kind == 4:
        return 't.vec_adds(%s, %s, 1, %d, %s)' % (mask(rng), ', '.join(operands.split(', ')[:2]), repeats, strides[:4])
    return 't.vec_add(%s, %s, %d, %s)' % (mask(rng), operands, repeats, strides)


def program(rng, clean):
    lines = ['from tbe import tik', 't = tik.Tik()',
             'x = t.Tensor("int16", (%d,), name="x", scope=tik.scope_gm)' % ELEMS,
             'y = t.Tensor("int16", (%d,), name="y", scope=tik.scope_gm)' % (3 * ELEMS)]
    for name in 'abc':
        lines.append('%s = t.Tensor("int16", (%d,), name="%s", scope=tik.scope_ubuf)' % (name, ELEMS, name))
        if clean or rng.random() < 0.9:
            lines.append('t.vec_dup(%s, %s, 3, %d, 8)' % ('128' if clean or rng.random() < 0.8 else mask(rng), name, ELEMS // 128))
    lines += [statement(rng) for _ in range(rng.randrange(1, 5))]
    for i, name in enumerate('abc'):
        blocks = rng.randrange(1, (ELEMS if clean else 128) // 16 + 1)
        lines.append('t.data_move(y[%d], %s, 0, 1, %d, 0, 0)' % (i * ELEMS, name, blocks))
    lines.append('t.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])')
    return '\n'.join(lines) + '\n'


def tikc(*args, text=None):
    p = subprocess.run([TIKC, *args], capture_output=True, text=True, input=text)
    return p.returncode, p.stdout + p.stderr


def result(folder, listing, fill):
    """The output of the blob with local memory of zeros or of ones at its begin."""
    head = re.sub(r'^(kernel .*?)( fill)?( ordered)?$', r'\1' + (' fill' if fill else '') + r'\3', listing, flags=re.M)
    blob, out = os.path.join(folder, 'f.tkb'), os.path.join(folder, 'y.npy')
    code, text = tikc('asm', '-', '-o', blob, text=head)
    assert code == 0, text
    code, text = tikc('run', blob, '--out', 'y=' + out)
    assert code == 0, text
    with open(out, 'rb') as f:
        return f.read()


def one(folder, seed, clean):
    """Whether the results differ, and whether the mode found something; None: the program is refused."""
    path, blob = os.path.join(folder, 'k.tik'), os.path.join(folder, 'k.tkb')
    with open(path, 'w') as f:
        f.write(program(random.Random(seed), clean))
    if tikc('build', path, '-o', blob)[0] != 0:
        return None
    listing = tikc('disasm', blob)[1]
    differ = result(folder, listing, False) != result(folder, listing, True)
    code, text = tikc('run', blob, '--mode', 'check')
    found = bool(FOUND.search(text))
    assert code == (5 if found else 0), (code, text)
    return differ, found


COLLISION = '''from tbe import tik
t = tik.Tik()
n = t.Tensor("int32", (8,), name="n", scope=tik.scope_gm)
y = t.Tensor("int32", (256,), name="y", scope=tik.scope_gm%s)
with t.for_range(0, 4, block_num=4) as i:
    u = t.Tensor("int32", (8,), name="u", scope=tik.scope_ubuf)
    t.data_move(u, n, 0, 1, 1, 0, 0)
    step = t.Scalar("int32", init_value=u[0])
    %s
    t.data_move(y[i * step], u, 0, 1, 1, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[n], outputs=[y])
'''


def collision(folder, step, atomic):
    """Whether four cores that write eight elements, `step` apart, collide."""
    import numpy
    path, array = os.path.join(folder, 'c.tik'), os.path.join(folder, 'n.npy')
    with open(path, 'w') as f:
        f.write(COLLISION % ((', is_atomic_add=True', 't.set_atomic_add("int32")') if atomic else ('', 'pass')))
    numpy.save(array, numpy.full(8, step, numpy.int32))
    code, text = tikc('run', path, '--soc', 'Ascend910B', '--in', 'n=' + array, '--mode', 'check')
    assert code == (5 if 'core-collision' in text else 0), (code, text)
    return 'core-collision' in text


def main():
    passed = failed = 0
    seen = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SEED, SEED + KERNELS):
            for clean in (False, True):
                got = one(folder, seed, clean)
                wrong = got is not None and ((got[0] and not got[1]) or (clean and (got[0] or got[1])))
                passed += got is not None and not wrong
                seen[got] = seen.get(got, 0) + (not clean)
                if wrong:
                    failed += 1
                    print('seed %d%s: results %s, %s' % (seed, ' clean' if clean else '', 'differ' if got[0] else 'are the same',
                                                         'reported' if got[1] else 'not reported'))
        for step in (4, 7, 8, 0, 16):
            for atomic in (False, True):
                want = step < 8 and not atomic
                ok = collision(folder, step, atomic) == want
                passed += ok
                failed += not ok
                if not ok:
                    print('four cores %d elements apart%s: wrong answer' % (step, ', atomic' if atomic else ''))
    print('results differ, reported: %d; the same, reported: %d; the same, not reported: %d' % (
        seen.get((True, True), 0), seen.get((False, True), 0), seen.get((False, False), 0)))
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0 or passed < KERNELS


if __name__ == '__main__':
    sys.exit(main())
