#!/usr/bin/python3
"""Checks the operators of a package and prints a table: file, outcome, first error; then totals.

usage: tools/operators.py DIR TABLE.tsv [--tikc PROGRAM] [--match TEXT] [--jobs N] [--timeout SECONDS] [--run]

DIR is the folder that the paths of the table are relative to. The table has one line per operator, fields
separated by tabs; its first line that does not begin with # names the columns:

  path   the file; the only column that must be there
  via    the file to give to tikc instead, for a library that is reached through another operator
  call   the expression for --call; empty: the file is only loaded, which 'builds no kernel'
  soc    the processor for --soc
  mode   static or dynamic, for --mode
  grade  any text, printed and counted

Other columns are ignored. Outcomes: 'clean' (no error), 'later' (nothing but instructions that this version does not
compile), 'error', 'loads' (no call in the table and nothing wrong but that no kernel is built), 'crash' (an exit
code that is not 0 or 1) and 'slow' (stopped after --timeout seconds). The exit code is 1 if there was a crash or the table
is wrong, 2 if the command line is, else 0.

With --run the operators that are clean and have a call also run, on generated arrays on both back ends
(tools/operators_run.py, which needs numpy); a second table has what came of it, and an error of ours is exit code 1.
--conventions FILE says what arrays operators want (tools/operators_inputs.py has the form; default: operators_conventions.tsv).
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

import operators_inputs
import operators_run

LATER = 'not-supported'
Row = collections.namedtuple('Row', 'path grade outcome first later')


def read_table(path):
    with open(path, newline='', encoding='utf-8') as f:
        lines = [line for line in f if line.strip() and not line.startswith('#')]
    rows = list(csv.DictReader(lines, delimiter='\t', quoting=csv.QUOTE_NONE))
    if not rows or 'path' not in rows[0]:
        sys.exit('%s: no column "path"' % path)
    return rows


def command(tikc, directory, row):
    cmd = [tikc, 'check', '--format', 'json']
    for option in ('soc', 'mode', 'call'):
        if row.get(option):
            cmd += ['--' + option, row[option]]
    return cmd + [os.path.join(directory, row.get('via') or row['path'])]


def place(directory, d):
    name = d.get('file') or ''
    inside = os.path.relpath(name, directory) if name.startswith(directory) else name
    return '%s:%s: %s [%s]' % (os.path.basename(inside), d.get('line', 0), d['message'], d['name'])


def outcome(row, code, found):
    """found: the errors, in order."""
    others = [d for d in found if d['name'] != LATER]
    if code not in (0, 1) or (code == 1) != bool(found):
        return 'crash'
    if not found:
        return 'clean'
    if not row.get('call') and all(d['name'] == 'no-kernel' for d in found):
        return 'loads'
    return 'error' if others else 'later'


def check(tikc, directory, row, timeout):
    grade = row.get('grade', '')
    try:
        p = subprocess.run(command(tikc, directory, row), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=timeout, errors='replace')
    except subprocess.TimeoutExpired:
        return Row(row['path'], grade, 'slow', 'stopped after %d seconds' % timeout, [])
    found = [json.loads(line) for line in p.stdout.splitlines() if line.startswith('{')]
    found = [d for d in found if d['level'] == 'error']
    what = outcome(row, p.returncode, found)
    others = [d for d in found if d['name'] != LATER] or found
    first = place(directory, others[0]) if others else ''
    if what == 'crash':
        first = 'exit code %d: %s' % (p.returncode, p.stderr.strip()[-200:])
    return Row(row['path'], grade, what, first, [d['message'] for d in found if d['name'] == LATER])


def print_totals(rows):
    print()
    for grade in sorted(set(r.grade for r in rows)):
        counts = collections.Counter(r.outcome for r in rows if r.grade == grade)
        print('%s%d operators: %s' % ('grade %s: ' % grade if grade else '', sum(counts.values()),
                                      ', '.join('%d %s' % (n, k) for k, n in sorted(counts.items()))))
    later = collections.Counter(text for r in rows for text in set(r.later))
    for text, n in sorted(later.items(), key=lambda x: (-x[1], x[0])):
        print('%4d files: %s' % (n, text))
    counts = collections.Counter(r.outcome for r in rows)
    print('total %d: %s' % (len(rows), ', '.join('%d %s' % (n, k) for k, n in sorted(counts.items()))))


def run_all(a, table, rows):
    import numpy as np
    conventions = operators_inputs.read_conventions(a.conventions)

    def one(row):
        source = os.path.join(a.directory, row.get('via') or row['path'])
        with tempfile.TemporaryDirectory() as folder:
            return operators_run.run_operator(np, a.tikc, row, source, conventions, folder, a.run_timeout)

    todo = [row for row, r in zip(table, rows) if r.outcome == 'clean' and row.get('call')]
    print()
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(max(a.jobs, 1)) as pool:
        for row, job in [(row, pool.submit(one, row)) for row in todo]:
            what, text = job.result()
            counts[what] += 1
            if what != 'ran':
                print('%-70s %-7s %s' % (row['path'], what, text), flush=True)
    print('of %d run: %s' % (len(todo), ', '.join('%d %s' % (n, k) for k, n in sorted(counts.items()))))
    return sum(counts[k] for k in operators_run.OURS)


def main():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('directory')
    ap.add_argument('table')
    ap.add_argument('--tikc', default=os.path.join(here, 'build', 'tikc'), help='default: build/tikc')
    ap.add_argument('--match', default='', help='only paths that contain this text')
    ap.add_argument('--jobs', type=int, default=2)
    ap.add_argument('--timeout', type=int, default=60)
    ap.add_argument('--run', action='store_true', help='run what is clean, too')
    ap.add_argument('--conventions', default=os.path.join(here, 'tools', 'operators_conventions.tsv'))
    ap.add_argument('--run-timeout', type=int, default=300)
    a = ap.parse_args()
    table = [row for row in read_table(a.table) if a.match in row['path']]
    with concurrent.futures.ThreadPoolExecutor(max(a.jobs, 1)) as pool:
        jobs = [pool.submit(check, a.tikc, a.directory, row, a.timeout) for row in table]
        rows = [job.result() for job in jobs]
    for r in rows:
        print('%-70s %-2s %-6s %s' % (r.path, r.grade, r.outcome, r.first))
    print_totals(rows)
    ours = run_all(a, table, rows) if a.run else 0
    return 1 if ours or any(r.outcome == 'crash' for r in rows) else 0


if __name__ == '__main__':
    sys.exit(main())
