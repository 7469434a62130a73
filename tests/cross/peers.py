#!/usr/bin/python3
"""Kernels whose cores 2 to 8 processes share, on both back ends, against one process: bytes, faults and warnings
(tests/tools/peerrun.c). The kernels of tests/cross/kernels and the samples, random ones, and those below: parts that alternate
in a line, tails, arrays that are inputs and outputs, atomic writes of all modes, faults, warnings, more blocks than cores.
Ends with 'N passed, N failed'."""
import collections
import glob
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD, ROOT  # noqa
import gen  # noqa: E402

HEAD = '''from tbe import tik
t = tik.Tik()
def gm(dtype, n, name, **more):
    return t.Tensor(dtype, (n,), name=name, scope=tik.scope_gm, **more)
def ub(dtype, n):
    return t.Tensor(dtype, (n,), name="ub", scope=tik.scope_ubuf)
'''
# Blocks of 32 bytes of the cores alternate, so two of them share each line of 64.
LINES = HEAD + '''x = gm("int32", 8 * 8 * {cores}, "x")
y = gm("int32", 8 * 8 * {cores}, "y")
with t.for_range(0, {cores}, block_num={cores}) as core:
    u = ub("int32", 64)
    t.data_move(u, x[core * 64], 0, 1, 8, 0, 0)
    t.vec_adds(64, u, u, 7, 1, 8, 8)
    t.data_move(y[core * 8], u, 0, 8, 1, 0, {cores} - 1)
t.BuildCCE("lines", [x], [y])
'''
# Each core has another size, down to 2 bytes, at any alignment; nothing is between the parts.
BYTES = HEAD + '''x = gm("float16", 16 * {cores}, "x")
y = gm("float16", {total}, "y")
with t.for_range(0, {cores}, block_num={cores}) as core:
    u = ub("float16", 16)
    t.data_move(u, x[core * 16], 0, 1, 1, 0, 0)
    at = t.Scalar("int32", "at", init_value=0)
    at.set_as(core * {step})
    t.data_move_pad(y[core * {step}], u, 1, {step} * 2, 0, 0)
t.BuildCCE("bytes", [x], [y])
'''
IN_PLACE = HEAD + '''x = gm("float16", 128 * {cores} + 40, "x")
with t.for_range(0, {cores}, block_num={cores}) as core:
    u = ub("float16", 128)
    t.data_move(u, x[core * 128], 0, 1, 8, 0, 0)
    t.vec_muls(128, u, u, 0.5, 1, 8, 8)
    t.data_move(x[core * 128], u, 0, 1, 8, 0, 0)
t.BuildCCE("in_place", [], [x])
'''
# Shared sums at places that slide with the core, twice for each, the end of one after its data; and rows of its own,
# written, added to and read again.
ATOMIC = HEAD + '''x = gm("{dtype}", 256 * {cores}, "x")
y = gm("{dtype}", {n}, "y"{preset})
own = gm("{dtype}", 128 * {cores}, "own")
back = gm("{dtype}", 128 * {cores}, "back")
with t.for_range(0, {cores}, block_num={cores}) as core:
    u = ub("{dtype}", 256)
    v = ub("{dtype}", 128)
    t.data_move(u, x[core * 256], 0, 1, 256 * {size} // 32, 0, 0)
    t.data_move(own[core * 128], u, 0, 1, 128 * {size} // 32, 0, 0)
    t.{setter}
    t.data_move(y, u, 0, 1, {blocks}, 0, 0)
    t.data_move(own[core * 128], u[128], 0, 1, 64 * {size} // 32, 0, 0)
    t.data_move(y[core % 3 * 16], u[64], 0, 1, 2 * {size} // {size}, 0, 0)
    t.set_atomic_none()
    t.data_move(v, own[core * 128], 0, 1, 128 * {size} // 32, 0, 0)
    t.data_move(back[core * 128], v, 0, 1, 128 * {size} // 32, 0, 0)
t.BuildCCE("atomic", [x], [y, own, back])
'''
FAULT = HEAD + '''x = gm("int32", 8 * {cores}, "x")
y = gm("int32", 8 * {cores}, "y")
with t.for_range(0, {cores}, block_num={cores}) as core:
    u = ub("int32", 8)
    at = t.Scalar("int32", "at", init_value=0)
    t.data_move(u, x[core * 8], 0, 1, 1, 0, 0)
    at.set_as(u[0])
    with t.if_scope(tik.any(core == {one}, core == {two})):
        at.set_as(at * 0 + 100000 + core)
    with t.else_scope():
        at.set_as(core * 8)
    t.data_move(u, x[at], 0, 1, 1, 0, 0)
    t.data_move(y[core * 8], u, 0, 1, 1, 0, 0)
t.BuildCCE("fault", [x], [y])
'''
WARNING = HEAD + '''x = gm("float16", 128 * {cores}, "x")
y = gm("float16", 128 * {cores}, "y")
n = gm("int32", 8, "n")
with t.for_range(0, {cores}, block_num={cores}) as core:
    u = ub("float16", 128)
    v = ub("int32", 8)
    count = t.Scalar("int32", "count")
    t.data_move(v, n, 0, 1, 1, 0, 0)
    count.set_as(v[0])
    count.set_as(count * 0)
    t.data_move(u, x[core * 128], 0, 1, 8, 0, 0)
    with t.if_scope(core > {after}):
        t.vec_adds(128, u, u, 1.0, count, 8, 8)
        t.vec_muls(128, u, u, 1.0, count, 8, 8)
    t.data_move(y[core * 128], u, 0, 1, 8, 0, 0)
t.BuildCCE("warning", [x, n], [y])
'''
# More blocks than the processor has cores are found while running.
BLOCKS = HEAD + '''n = gm("int32", 8, "n")
x = gm("int32", 64 * 24, "x")
y = gm("int32", 64 * 24, "y")
blocks = t.Scalar("int32", "blocks")
with t.new_stmt_scope():
    v = ub("int32", 8)
    t.data_move(v, n, 0, 1, 1, 0, 0)
    blocks.set_as(v[0])
blocks.set_as(blocks * 0 + {blocks})
with t.for_range(0, blocks, block_num=blocks) as core:
    u = ub("int32", 64)
    t.data_move(u, x[core * 64], 0, 1, 8, 0, 0)
    t.vec_adds(64, u, u, core, 1, 8, 8)
    t.data_move(y[core * 64], u, 0, 1, 8, 0, 0)
t.BuildCCE("blocks", [n, x], [y])
'''
SIZES = {'float32': 4, 'float16': 2, 'int32': 4, 'int16': 2}
RANDOM = int(os.environ.get('TIKC_PROGRAMS', '40'))


def written():
    """Processor and text of each kernel above."""
    for cores in (2, 3, 7, 13):
        yield 'Ascend310P3', LINES.format(cores=cores)
        yield 'Ascend310P3', IN_PLACE.format(cores=cores)
        for step in (1, 5):
            yield 'Ascend910B1', BYTES.format(cores=cores, step=step, total=cores * step)
    for cores in (2, 5, 11):
        for dtype, size in SIZES.items():
            for op in ('add', 'max', 'min'):
                setter = f'set_atomic_{op}("{dtype}")'
                preset = ', is_atomic_add=True' if cores == 5 else ''
                n = 61 if cores == 11 else 256
                yield 'Ascend910B1', ATOMIC.format(dtype=dtype, size=size, cores=cores, setter=setter, preset=preset, n=n,
                                                   blocks=-(-n * size // 32))
    for one, two in ((0, 0), (6, 6), (5, 3), (1, 2)):
        yield 'Ascend310P3', FAULT.format(cores=7, one=one, two=two)
    for after in (-1, 0, 4):
        yield 'Ascend310P3', WARNING.format(cores=7, after=after)
    for blocks in (0, 1, 9, 23):
        yield 'Ascend310P3', BLOCKS.format(blocks=blocks)


def generated():
    """Random kernels with several cores."""
    seed = 1
    for _ in range(RANDOM):
        p = gen.Program(seed)
        while p.cores < 2 or p.faulty:  # a fault may be found while compiling
            seed += 1
            p = gen.Program(seed)
        yield p.soc, p.source()
        seed += 1


def run(seed, sources, given=()):
    """What peerrun says of these files and sources: its lines, and how many of them are wrong."""
    count, failed = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as d:
        files = list(given)
        for i, (soc, text) in enumerate(sources):
            with open(f'{d}/k{i}.tik', 'w') as f:
                f.write(text)
            files.append(f'{d}/k{i}.tik@{soc}')
        p = subprocess.run([f'{BUILD}/tools/peerrun', str(seed), *files], capture_output=True, text=True)
        for line in p.stdout.splitlines():
            word, path, *rest = line.split(' ', 2)
            status = rest[0].split(' ')[3] if word == 'KERNEL' else 'refused'
            count[status] += 1
            if status == 'mismatch' or (status == 'refused' and path not in given):
                failed += 1
                print(line)
                print(open(path.split('@')[0]).read())
        if p.returncode:
            failed += 1
            print('peerrun ended with', p.returncode, p.stderr)
    return count, failed


def main():
    shipped = sorted(glob.glob(f'{ROOT}/samples/*.tik') + glob.glob(f'{ROOT}/tests/cross/kernels/*.tik'))
    count, failed = run(5, written(), shipped)
    more, wrong = run(6, generated())
    print(dict(count), dict(more))
    # that most kernels have been shared, and that all kinds of ends are there
    enough = count['spread'] > 100 and count['alone'] >= 6 and count['fault'] >= 8 and more['spread'] > RANDOM
    failed += wrong + (not enough)
    passed = sum(count.values()) + sum(more.values()) - failed - count['refused']
    print('%d passed, %d failed' % (passed + enough, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
