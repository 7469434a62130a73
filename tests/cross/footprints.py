#!/usr/bin/python3
"""The bytes that instructions access, as the rules say (check_footprint: bounds, overlap, races, order of queues, the mode check) and as the emulator
executes: tests/tools/footprints executes each instruction of the conformance set, with each of its dtypes, on changed memories.

* No byte is written that is in no destination, and no byte but those of the sources, and of destinations that the instruction adds to, has an influence on
  what is written: what is accessed is never more than what is proved.
* Where the rules say that a footprint is exact, each byte of a destination is written, and the first and the last element of a source have an influence: what
  is proved is not more than what is accessed. The exceptions are in the table below, with the reason.

usage: tests/cross/footprints.py"""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from paths import ROOT  # noqa: E402

TOOL = os.path.join(ROOT, os.environ.get('BUILD', 'build'), 'tools/footprints')
NUMBERS = ('runs', 'outside', 'depends', 'unwritten', 'inexact', 'first', 'last')
# (instruction, operand): why the footprint is more than what has an influence, or what is written depends on more. An entry that is no longer needed fails.
NAMED = {
    ('vreduce', 'src0'): 'the pattern keeps other lanes',
    ('vec_cpadd', 'src'): 'the next repeat writes to the same place (stride 0)',
    ('vec_sel.scalar', 'src0'): 'the next repeat writes to the same place (stride 0)',
    ('vsel', 'src0'): 'the comparison mask, which is no operand, takes the other source',
    ('load_image', 'src1'): 'lines before the crop are transferred, not used',
    ('tensor_mov.out', 'dst|src'): 'an atomic mode, which is in a special register, adds to what is there',
    ('tensor_mov.vector', 'deqscale'): 'block mode sc uses 4 of the 16 numbers',
    ('vrpac', 'src'): 'of the 8 numbers of a proposal the last are not used',
    ('viou', 'src[01]'): 'of the 8 numbers of a proposal the last are not used',
    ('rpn_cor_diag', 'src'): 'what is above the diagonal is not used',
    (r'fixpipe\.columns(_vector)?', 'src'): 'the scale and relu make one result of nearly all sums',
    ('vector_vor', 'src[01]'): 'both sources and the destination are one register, and x or x is x',
    ('vector_vdintlv', 'src[01]'): 'a source and a destination are one register, which the element keeps',
    ('vmrgsort', r'src_list\[[23]\]'): 'the merge ends when a list before is used up',
}

passed, failed = 0, 0


def say(ok, name, why=''):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f'FAILED {name}: {why}')


def counts(paths):
    """{(instruction, dtype, operand, role): numbers}"""
    found = {}
    for at in range(0, len(paths), 200):
        p = subprocess.run([TOOL, *paths[at:at + 200]], capture_output=True, text=True)
        say(p.returncode == 0, 'footprints', p.stderr[-300:])
        for line in p.stdout.splitlines():
            name, dtype, operand, role, *rest = line.split()
            assert tuple(rest[::2]) == NUMBERS, line
            key = name, dtype, operand, role
            found[key] = [a + int(b) for a, b in zip(found.get(key, [0] * len(NUMBERS)), rest[1::2])]
    return found


def wrong(numbers, role):
    """What is not as the rules say."""
    n = dict(zip(NUMBERS, numbers))
    if n['outside']:
        return f'{n["outside"]} bytes are written outside of its destinations'
    if n['depends']:
        return f'{n["depends"]} bytes that it writes depend on others than it reads'
    if n['inexact']:
        return ''
    if role == 'dst' and n['unwritten']:
        return f'{n["unwritten"]} bytes of it are not written'
    if role == 'src' and not (n['first'] and n['last']):
        return f'the {"last" if n["first"] else "first"} element has no influence'
    return ''


def main():
    paths = sorted(glob.glob(f'{ROOT}/tests/blobs/accepted/*.tkb'))
    # its moves add to what is there: an atomic mode is in a special register, which is no operand
    paths.remove(f'{ROOT}/tests/blobs/accepted/atomic-sums.tkb')
    found = counts(paths)
    needed = set()
    for (name, dtype, operand, role), numbers in found.items():
        why = wrong(numbers, role)
        entry = next((e for e in NAMED if re.fullmatch(e[0], name) and re.fullmatch(e[1], operand)), None)
        if why and entry:
            needed.add(entry)
        say(not why or entry, f'{name} {dtype} {operand}', why)
    for entry in NAMED:
        say(entry in needed, f'{entry[0]} {entry[1]}', 'is named, and it is as the rules say')
    names = {name for name, *_ in found}
    say(len(names) >= 235, 'instructions', f'only {len(names)} were executed')
    print(f'{len(names)} instructions, {len(found)} operands with their dtypes, {len(NAMED)} of them named')
    print(f'{passed} passed, {failed} failed')
    return failed != 0


sys.exit(main())
