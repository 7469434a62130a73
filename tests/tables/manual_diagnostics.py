#!/usr/bin/python3
"""Every diagnostic that the manuals of moves, of the matrix unit and of local memory name has a rule and a kernel that
shows it.

manual_diagnostics.tsv has a row for each: the manual and its chapter of diagnostics, the name there, our rule, how to
run the kernel, and the kernel (in tests/lit). The kernel is compiled or run, and what it reports is the rule, an error
for E- and a warning for W-; 'tikc explain' must know the rule by the manual's name. The manual of local memory has our names,
and for each there is an ok- kernel that does not report it. Ends with 'N passed, N failed'."""
import os
import re
import shlex
import subprocess
import sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa

HERE = os.path.dirname(os.path.abspath(__file__))
# How many each manual names; a row that is lost is noticed.
NAMED = {'data-movement 13': 71, 'cube-quant 14': 54, 'lmem 9': 30}
# Of local memory what is no error.
LEVELS = {'uninit-read': 'warning', 'pad-read': 'warning', 'cross-bank': 'warning', 'bank-conflict': 'warning',
          'lane-idle': 'note', 'E-OVERLAP': 'warning', 'E-SCALAR-RANGE': 'warning'}


def rows():
    for line in open(os.path.join(HERE, 'manual_diagnostics.tsv')):
        if line.strip() and not line.startswith('#'):
            yield line.rstrip('\n').split('\t')


def output(words):
    p = subprocess.run([TIKC] + words, capture_output=True, text=True)
    return p.stdout + p.stderr


def wrong(name, rule, command, kernel):
    level = LEVELS.get(name, 'warning' if name.startswith('W-') else 'error')
    path = os.path.join(HERE, '../lit', kernel)
    if not os.path.isfile(path):
        return 'there is no kernel ' + kernel
    if not re.search(rf'\b{level}: .* \[{rule}\]$', output(shlex.split(command) + [path]), re.M):
        return f'tikc {command} {kernel} does not report {rule}'
    if name == rule:
        good = output(shlex.split(command) + [path.replace('/bad-', '/ok-')])
        return f'ok-{rule}.tik reports it too' if f'[{rule}]' in good else None
    if not re.search(rf'^Also known as: .*(?<!\S){name}(?!\S)', output(['explain', rule]), re.M):
        return f'tikc explain {rule} does not name it'
    return None


def main():
    passed = failed = 0
    seen = {manual: set() for manual in NAMED}
    for manual, name, rule, command, kernel in rows():
        text = wrong(name, rule, command, kernel)
        if name in seen[manual]:
            text = 'has two rows'
        seen[manual].add(name)
        passed, failed = passed + (text is None), failed + (text is not None)
        if text:
            print(f'{name}: {text}')
    for manual, n in NAMED.items():
        if len(seen[manual]) != n:
            print(f'{manual} names {n} diagnostics, {len(seen[manual])} have a row')
            failed += 1
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
