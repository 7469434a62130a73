#!/usr/bin/python3
"""Fingerprints of what a tree makes of a fixed set of programs, to show that a change of its structure changes nothing.

usage: fingerprint.py gather SET [--programs N] [--operators DIR TABLE.tsv]
       fingerprint.py take SET --build BUILD -o FILE [--jobs N]
       fingerprint.py compare OLD NEW

gather copies programs into the folder SET, once: the samples, the kernels and operators of tests/cross, every .tik file
of tests/lit, the programs of the golden cases, N random programs (20000; half of gen.py and rows.py, half of vector_gen), and the
operators of a package, whose table tools/operators.py describes. take runs the tikc and the diffrun of BUILD on them
and writes one line for each fact: the program, what was asked (blob, trace, llvm, check, blobs, run) and a digest of
the answer. check is the names of the diagnostics with their lines; blobs, of random programs, is all their blobs; run is
what every global tensor holds after native code at -O0, at -O2 and the emulator, which agree, or the fault. compare prints the facts that differ
and ends with 'N equal, N differ'; the exit code is 1 when some do."""
import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, 'tests'))
import paths  # noqa
COPIED = ('samples', 'tests/cross/kernels', 'tests/cross/operators', 'tests/lit', 'tests/golden/lmem')
MODULE = 500  # random programs of one module
EMITS = ('blob', 'trace', 'llvm')


# ---- gather


def copied(folder):
    """Options of tikc for each program of the tree, whose folders are copied as they are."""
    import programs
    for part in COPIED:
        shutil.copytree(os.path.join(ROOT, part), os.path.join(folder, part), dirs_exist_ok=True)
    found = [(os.path.relpath(p.path, ROOT), p.call) for p in programs.kernels()]
    for part in ('samples', 'tests/lit'):
        found += [(os.path.relpath(f, ROOT), None) for f in programs.files(part)]
    return [[path] + (['--call', call] if call else []) for path, call in found]


def golden(folder):
    """Programs of the golden cases, as run_golden.py keeps them."""
    kept = os.path.join(folder, 'golden')
    os.makedirs(kept, exist_ok=True)
    subprocess.run([sys.executable, os.path.join(ROOT, 'tests/golden/run_golden.py'), '--keep', kept], check=True,
                   stdout=subprocess.DEVNULL)
    return [[os.path.join('golden', name)] for name in sorted(os.listdir(kept)) if name.endswith('.tik')]


def operators(folder, package, table):
    with open(table, newline='', encoding='utf-8') as f:
        rows = list(csv.DictReader((line for line in f if not line.startswith('#')), delimiter='\t',
                                   quoting=csv.QUOTE_NONE))
    shutil.copytree(package, os.path.join(folder, 'operators'), dirs_exist_ok=True, symlinks=True)
    given = []
    for row in rows:
        options = [o for name in ('soc', 'mode', 'call') if row.get(name) for o in ('--' + name, row[name])]
        given.append([os.path.join('operators', row.get('via') or row['path'])] + options)
    return given


def random_jobs(folder, count):
    """Jobs of diffrun, one file each."""
    import differential
    import gen
    import vector_programs
    from vector_gen import chain
    os.makedirs(os.path.join(folder, 'jobs'), exist_ok=True)
    by_soc = collections.defaultdict(list)
    for seed in range(count // 2):
        p = gen.program(seed)
        if not p.faulty:  # what is refused while compiling would take its module along
            by_soc[p.soc].append(p)
    for soc, made in sorted(by_soc.items()):
        for first in range(0, len(made), MODULE):
            part = made[first:first + MODULE]
            with open(os.path.join(folder, 'jobs', 'gen-%s-%06d' % (soc, first)), 'wb') as f:
                f.write(differential.encode(part, [p.inputs() for p in part], 0, '02'))
    for module in range(count // 2 // MODULE):
        pool = vector_programs.pool_of(module)
        made = [chain.Program(pool, module * MODULE + i) for i in range(MODULE)]
        with open(os.path.join(folder, 'jobs', 'vector-%06d' % module), 'wb') as f:
            f.write(vector_programs.job(made, '02', 1))


def gather(a):
    os.makedirs(a.set, exist_ok=True)
    given = copied(a.set) + golden(a.set)
    if a.operators:
        given += operators(a.set, *a.operators)
    random_jobs(a.set, a.programs)
    with open(os.path.join(a.set, 'programs.json'), 'w', encoding='utf-8') as f:
        json.dump(given, f, indent=0)
    print('%d programs, %d jobs of random ones' % (len(given), len(os.listdir(os.path.join(a.set, 'jobs')))))


# ---- take


def answer(cmd, folder):
    p = subprocess.run(cmd, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if p.returncode < 0 or p.returncode == 70:
        return 'crash %d' % p.returncode
    return 'code %d' % p.returncode if p.returncode else hashlib.sha256(p.stdout).hexdigest()


def findings(cmd, folder):
    """Names and lines of the diagnostics."""
    p = subprocess.run(cmd, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    try:
        found = [(d['name'], d['level'], d.get('line')) for d in map(json.loads, p.stdout.splitlines()) if 'name' in d]
    except (ValueError, TypeError):
        return 'unread %d' % p.returncode
    return '%d %d %s' % (p.returncode, len(found), hashlib.sha256(repr(found).encode()).hexdigest())


def facts_of_program(tikc, folder, given):
    name = ' '.join(given)
    facts = [(name, kind, answer([tikc, 'build', '--emit', kind, '-o', '-'] + given, folder)) for kind in EMITS]
    return facts + [(name, 'check', findings([tikc, 'check', '--format', 'json'] + given, folder))]


def facts_of_job(diffrun, folder, name):
    with open(os.path.join(folder, 'jobs', name), 'rb') as f:
        p = subprocess.run([diffrun], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    blobs = b''.join(re.findall(rb'^RESULT \d+ ok [^\n]*\n', p.stdout, re.M))
    ran = re.sub(rb'^(RESULT \d+ ok) [^\n]*', rb'\1', p.stdout, flags=re.M)
    return [(name, 'blobs', hashlib.sha256(blobs).hexdigest()),
            (name, 'run', '%d %s' % (p.returncode, hashlib.sha256(ran).hexdigest()))]


def take(a):
    tikc, diffrun = (os.path.abspath(os.path.join(a.build, name)) for name in ('tikc', 'tools/diffrun'))
    with open(os.path.join(a.set, 'programs.json'), encoding='utf-8') as f:
        given = json.load(f)
    jobs = sorted(os.listdir(os.path.join(a.set, 'jobs')))
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        facts = [x for part in pool.map(lambda g: facts_of_program(tikc, a.set, g), given) for x in part]
        facts += [x for part in pool.map(lambda j: facts_of_job(diffrun, a.set, j), jobs) for x in part]
    with open(a.output, 'w', encoding='utf-8') as f:
        for fact in facts:
            f.write(json.dumps(fact) + '\n')
    print('%d facts' % len(facts))


# ---- compare


def read_facts(path):
    with open(path, encoding='utf-8') as f:
        return {(name, kind): what for name, kind, what in map(json.loads, f)}


def compare(a):
    old, new = read_facts(a.old), read_facts(a.new)
    differ = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    for name, kind in differ:
        print('%s of %s: %s, now %s' % (kind, name, old.get((name, kind)), new.get((name, kind))))
    print('%d equal, %d differ' % (len(old.keys() | new.keys()) - len(differ), len(differ)))
    return 1 if differ else 0


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = ap.add_subparsers(dest='command', required=True)
    p = commands.add_parser('gather')
    p.add_argument('set')
    p.add_argument('--programs', type=int, default=20000)
    p.add_argument('--operators', nargs=2, metavar=('DIR', 'TABLE'))
    p = commands.add_parser('take')
    p.add_argument('set')
    p.add_argument('--build', default=os.path.join(ROOT, 'build'))
    p.add_argument('-o', '--output', required=True)
    p.add_argument('--jobs', type=int, default=2)
    p = commands.add_parser('compare')
    p.add_argument('old')
    p.add_argument('new')
    a = ap.parse_args()
    return {'gather': gather, 'take': take, 'compare': compare}[a.command](a)


if __name__ == '__main__':
    sys.exit(main())
