#!/usr/bin/python3
"""What --print shows of the buffers of each sample is the same on both back ends, and where queues execute the blob (--sync
auto), with the inputs of the sample's test. Ends with a line "N passed, N failed"."""
import glob
import json
import os
import subprocess
import sys
import tomllib
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa

MOST = 6  # wishes of a sample
WAYS = [('--backend', 'host'), ('--backend', 'emu'), ('--backend', 'emu', '--sync', 'auto')]


def wishes(kernel):
    """Wishes for the first elements of buffers after their first use."""
    shown = subprocess.run([TIKC, 'check', kernel, '--memory', '--format', 'json'], capture_output=True, text=True)
    found = set()
    for line in shown.stdout.splitlines():
        for memory in json.loads(line).get('memories', []):
            for b in memory['buffers']:
                if memory['memory'] not in ('LMEM', 'SREG') and 'first_line' in b:
                    part = ','.join('0:%d' % min(3, n) for n in b['shape'])
                    found.add('%s[%s]@%s:%d' % (b['name'], part, os.path.basename(kernel), b['first_line']))
    return sorted(found)[:MOST]


def options(description):
    """The options that the first test of a description gives."""
    first = description.get('test', [{}])[0]
    ins = {**description.get('in', {}), **first.get('in', {})}
    kernel = first.get('kernel', description.get('kernel'))
    return ['--in=%s=%s' % i for i in ins.items()] + (['--kernel', kernel] if kernel else [])


def main():
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(ROOT, 'samples', '*.test.toml'))):
        kernel = path.replace('.test.toml', '.tik')
        prints = ['--print=' + w for w in wishes(kernel)]
        if not prints:
            continue
        with open(path, 'rb') as f:
            given = options(tomllib.load(f))
        runs = [subprocess.run([TIKC, 'run', kernel, *way, *given, *prints], capture_output=True, text=True) for way in WAYS]
        if any(r.returncode or r.stdout != runs[0].stdout or not r.stdout for r in runs):
            failed += 1
            print(kernel, prints, *(r.stdout[:300] + r.stderr[-300:] for r in runs), sep='\n')
        else:
            passed += 1
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
