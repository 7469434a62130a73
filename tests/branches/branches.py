#!/usr/bin/python3
"""Which branches of loader and verifier the tests of blobs do not take: runs those tests on a build that counts them, and prints each side
of a condition that no test reached.
usage: branches.py [COVER FILE...]    (make coverage-build makes COVER, a folder with the build; without it the one in BUILD, which a build with
sanitizers does not have, and all files)

excluded.txt names sides that nothing can reach: a line each 'FILE FUNCTION SIDE CONDITION # reason', SIDE true or false, CONDITION the text
of it. A side that is excluded and was taken is told, too. Left out are also the sides that cannot be by what C and these files are: a switch
over all values of a type that has none of them, and a call that refuses and returns true. Ends with 'N of M branches taken, E excluded,
K not taken'; the exit code is 1 if K is not 0."""
import glob
import json
import os
import re
import subprocess
import sys

sys.path += [os.path.join(os.path.dirname(os.path.abspath(__file__)), part) for part in ('..', '../mutants')]
from checks import Source, refusers  # noqa: E402
from paths import BUILD, ROOT  # noqa: E402

LLVM = '/usr/lib/llvm-19/bin/'
BRANCH = 4   # the kind of a region
CALL = re.compile(r'(?:\(\d+\) )?(\w+)\(')


def run_tests(cover):
    """Runs the tests of blobs; their counts are added up in COVER/raw."""
    for old in glob.glob(f'{cover}/raw/*'):
        os.remove(old)
    env = dict(os.environ, LLVM_PROFILE_FILE=f'{cover}/raw/%m.profraw', BUILD=cover, TIKC=f'{cover}/tikc')
    ok = True
    for what in (['--only', 'unit'], ['--only', 'lit', '--match', 'blob/'], ['--only', 'cross', '--match', 'conformance_blobs'],
                 ['--only', 'cross', '--match', 'barriers']):
        p = subprocess.run([sys.executable, 'tests/run.py', cover, *what], cwd=ROOT, env=env, capture_output=True, text=True)
        print(p.stdout if p.returncode else p.stdout.splitlines()[-1], flush=True)
        ok = ok and p.returncode == 0
    return ok


def exported(cover, files):
    """The functions of the files with the counts of their branches."""
    subprocess.run([LLVM + 'llvm-profdata', 'merge', '-o', f'{cover}/all.profdata', *glob.glob(f'{cover}/raw/*')], check=True)
    objects = [f'{cover}/obj/{os.path.basename(f)[:-2]}.o' for f in files]
    command = [LLVM + 'llvm-cov', 'export', '-instr-profile', f'{cover}/all.profdata', objects[0]]
    p = subprocess.run(command + [f'-object={o}' for o in objects[1:]], capture_output=True, text=True, check=True)
    return json.loads(p.stdout)['data'][0]['functions']


def text_of(lines, region):
    """The text of a condition in one line."""
    first, a, last, b = region[:4]
    part = lines[first - 1:last]
    part[-1] = part[-1][:b - 1]
    part[0] = part[0][a - 1:]
    return re.sub(r'\s+', ' ', ' '.join(part)).strip()


def branches(functions, files):
    """{(file, function, side, condition): (line, times)}; the same condition twice in a function counts as two by a number."""
    found, sources = {}, {p: Source(p) for p in sorted(glob.glob('runtime/blob/*.c', root_dir=ROOT))}
    refusing = refusers(sources.values())
    for f in functions:
        path = os.path.relpath(f['filenames'][0], ROOT)
        if path not in files:
            continue
        with open(os.path.join(ROOT, path), encoding='utf-8') as file:
            lines = file.read().split('\n')
        seen = {}
        for region in sorted(f['branches']):
            if region[8] != BRANCH or region[6] != 0:
                continue
            condition = text_of(lines, region)
            seen[condition] = seen.get(condition, 0) + 1
            number = f'({seen[condition]}) ' if seen[condition] > 1 else ''
            name = f['name'].split(':')[-1]
            whole_switch = lines[region[0] - 1][:region[1] - 1].endswith('switch (')
            for side, times in (('true', region[4]), ('false', region[5])):
                call = CALL.match(condition)
                refuses = call and sources[path].key(call[1]) in refusing
                if side == 'true' and times == 0 and (whole_switch or refuses):
                    continue
                key = (path, name, side, number + condition)
                found[key] = (region[0], found.get(key, (0, 0))[1] + times)
    return found


def excluded():
    """{(file, function, side, condition): reason}"""
    rows = {}
    with open(os.path.join(ROOT, 'tests/branches/excluded.txt'), encoding='utf-8') as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                what, reason = line.strip().split(' # ')
                rows[tuple(what.split(' ', 3))] = reason
    return rows


def main():
    cover, files = os.path.abspath(sys.argv[1]) if sys.argv[1:] else f'{BUILD}/coverage', sys.argv[2:]
    if not files:
        with open(f'{BUILD}/flags', encoding='utf-8') as f:
            if '-fsanitize=' in f.read():
                print('a build with sanitizers has no counts of branches: nothing to run\n0 passed, 0 failed')
                return 0
        with open(f'{cover}/files', encoding='utf-8') as f:
            files = f.read().split()
    os.makedirs(f'{cover}/raw', exist_ok=True)
    if not run_tests(cover):
        return 1
    all_of, left_out = branches(exported(cover, files), files), excluded()
    missed = 0
    for (path, name, side, condition), (line, times) in sorted(all_of.items(), key=lambda row: (row[0][0], row[1][0])):
        out = (path, name, side, condition) in left_out
        if (times == 0) == out:
            continue
        missed += 1
        print(f'{path}:{line}: {name}: never {side}: {condition}' if not out else f'{path}:{line}: {name}: is excluded, and {side}: {condition}')
    for row in set(left_out) - set(all_of):
        missed += 1
        print('excluded, and not there: ' + ' '.join(row))
    taken = sum(times > 0 for _, times in all_of.values())
    print(f'{taken} of {len(all_of)} branches taken, {len(left_out)} excluded, {missed} not taken')
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
