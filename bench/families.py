#!/usr/bin/python3
"""Runs programs/families.c, shows what it prints, and adds its figures to a file of JSON.

usage: bench/families.py PROGRAM [JSON]"""
import json
import os
import subprocess
import sys

COLUMNS = ('host', 'emulator', 'c', 'c_clang', 'host_to_c', 'emulator_to_c')


def row(line):
    """A line of figures: family, call, dtype or dtypes, then the columns."""
    words = line.split()
    name, figures = words[:-len(COLUMNS)], words[-len(COLUMNS):]
    return dict(zip(('family', 'call'), name), dtype=' '.join(name[2:]), **dict(zip(COLUMNS, map(float, figures))))


def main():
    program, path = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ''
    rows = []
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True) as p:
        for line in p.stdout:
            print(line, end='', flush=True)
            if line[:1].islower() and line.split()[-1].replace('.', '').isdigit():
                rows.append(row(line))
    if p.returncode != 0 or not rows:
        sys.exit('bench: the vector instructions failed')
    if path:
        result = {}
        if os.path.exists(path):
            with open(path, encoding='ascii') as f:
                result = json.load(f)
        with open(path, 'w', encoding='ascii') as f:
            json.dump(dict(result, families=rows), f, indent=1)


if __name__ == '__main__':
    main()
