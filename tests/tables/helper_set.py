#!/usr/bin/python3
"""Usual kernels stay in the set of helper functions that are compiled with the library (compiler/host/helpers.tik): of each
sample and each kernel of bench, no more helpers are compiled at run time than helper_set.tsv says, none where it has no row.
Otherwise a change of lowering that gives helpers other names would cost each later kernel some milliseconds, and no
bit. A processor without a set compiles all of them, which is no failure. Ends with 'N passed, N failed'."""
import csv
import glob
import os
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD, ROOT  # noqa


def allowed():
    """{file: the most helpers that are compiled}"""
    with open(os.path.join(ROOT, 'tests/tables/helper_set.tsv'), newline='', encoding='utf-8') as f:
        return {file: int(most) for file, most, _ in csv.reader((l for l in f if not l.startswith('#')), delimiter='\t')}


def compiled(files):
    """{file: (helpers that were compiled, those of the set)}"""
    p = subprocess.run([os.path.join(BUILD, 'tools/helpers')] + files, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
    return {file: (int(made), int(ready)) for made, ready, file in (l.split(' ', 2) for l in p.stdout.splitlines())}


def main():
    files = sorted(os.path.relpath(f, ROOT) for folder in ('samples', 'bench/kernels')
                   for f in glob.glob(os.path.join(ROOT, folder, '*.tik')))
    most, found = allowed(), compiled(files)
    bad = ['%s has a row and is no file' % f for f in sorted(set(most) - set(files))]
    if not any(ready for _, ready in found.values()):
        print('no set is for this processor')
        found = {}
    for f, (made, _) in sorted(found.items()):
        if made > most.get(f, 0):
            bad.append('%s: %d helpers are compiled, not %d: extend compiler/host/helpers.tik' % (f, made, most.get(f, 0)))
    for text in bad:
        print(text)
    print('%d passed, %d failed' % (len(files) - len(bad), len(bad)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
