#!/usr/bin/python3
"""Runs the test suite and ends with a line 'N passed, N failed'.

usage: tests/run.py BUILD_DIR [--only unit|lit|golden|random|cross|tables|proofs|python|editors|branches]... [--match TEXT] [--update]
       [--timeout SECONDS]

Stages: unit tests (one cmocka program per tests/unit/test_*.c), lit tests (tests/lit), and the scripts of
tests/golden, random, cross, tables, proofs, python, editors and branches, which compare with independent models and with the tables, prove
with z3, use the Python package, talk to the language server, and count what the tests of blobs reach. A script
prints its own last line 'N passed, N failed'; one that prints none counts as one test by its exit code. Nothing depends on time, except
that a stage which hangs is stopped after --timeout seconds (1500) and counts as failed.

--update writes expectations that are whole files anew where the output differs (docs/testing.md lists them), so that what
changed is read in 'git diff'. Everything else is compared as always.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIT = '/usr/lib/llvm-19/build/utils/lit/lit.py'
SCRIPTS = ('golden', 'random', 'cross', 'tables', 'proofs', 'python', 'editors', 'branches')  # folders of scripts


def run(cmd, env):
    """Exit code and merged output of a command; a hang, for env's TIKC_TIMEOUT, is a failure."""
    try:
        p = subprocess.run(cmd, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           timeout=float(env['TIKC_TIMEOUT']), errors='replace')
        return p.returncode, p.stdout
    except subprocess.TimeoutExpired as e:
        out = e.stdout or b''
        return -1, (out if isinstance(out, str) else out.decode(errors='replace')) + '\nstopped: too long\n'


def timed(f, *args):
    """What f gives, and for how many seconds it ran."""
    begin = time.monotonic()
    return f(*args), time.monotonic() - begin


def unit(path, env):
    code, out = run([path], env)
    ok = len(re.findall(r'^\[ +OK +\]', out, re.M))
    bad = len(set(re.findall(r'^\[ +FAILED +\] (\w+)$', out, re.M)))
    if code != 0 and bad == 0:
        bad = 1
    if ok + bad == 0:
        bad, out = 1, out + '\nno test ran\n'
    return ok, bad, out


def script(path, env):
    code, out = run([sys.executable, path], env)
    lines = out.strip().splitlines()
    m = re.fullmatch(r'(?:.*: )?(\d+) passed, (\d+) failed', lines[-1].strip()) if lines else None
    if not m:
        return (1, 0, out) if code == 0 else (0, 1, out)
    ok, bad = int(m.group(1)), int(m.group(2))
    if code != 0 and bad == 0:
        bad = 1
    return ok, bad, out


def lit(build, env, match):
    with tempfile.NamedTemporaryFile(suffix='.json') as f:
        cmd = [sys.executable, LIT, '-j2', '-q', '-o', f.name, '-Dbuild=' + build,
               os.path.join(ROOT, 'tests/lit')]
        if match:
            cmd += ['--filter', match]
        code, out = run(cmd, env)
        try:
            tests = json.load(open(f.name))['tests']
        except (OSError, ValueError, KeyError):
            return 0, 1, out
    ok = sum(t['code'] in ('PASS', 'XFAIL') for t in tests)
    bad = sum(t['code'] not in ('PASS', 'XFAIL', 'UNSUPPORTED', 'SKIPPED', 'EXCLUDED') for t in tests)
    if code != 0 and bad == 0:
        bad = 1
    return ok, bad, out


def scripts():
    for folder in SCRIPTS:
        d = os.path.join(ROOT, 'tests', folder)
        for name in sorted(os.listdir(d)) if os.path.isdir(d) else []:
            path = os.path.join(d, name)
            if name.endswith('.py') and 'def main' in open(path).read():
                yield folder, path


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('build')
    ap.add_argument('--only', choices=['unit', 'lit', *SCRIPTS], action='append')
    ap.add_argument('--match')
    ap.add_argument('--update', action='store_true')
    ap.add_argument('--timeout', type=float, default=1500)
    a = ap.parse_args()
    build = os.path.abspath(a.build)
    env = dict(os.environ, BUILD=build, TIKC=os.environ.get('TIKC', os.path.join(build, 'tikc')), PYTHONDONTWRITEBYTECODE='1',
               LC_ALL='C.UTF-8', TIKC_TIMEOUT=str(a.timeout))
    if a.update:
        env['TIKC_UPDATE'] = '1'
    jobs = []
    wanted = lambda kind, name: (not a.only or kind in a.only) and (not a.match or a.match in name)
    unit_dir = os.path.join(build, 'unit')
    for name in sorted(os.listdir(unit_dir)) if os.path.isdir(unit_dir) else []:
        if name.startswith('test_') and '.' not in name and wanted('unit', name):
            jobs.append(('unit ' + name, unit, (os.path.join(unit_dir, name), env)))
    if not a.only or 'lit' in a.only:
        jobs.append(('lit', lit, (build, env, a.match)))
    for folder, path in scripts():
        name = os.path.relpath(path, ROOT)
        if wanted(folder, name):
            jobs.append((name, script, (path, env)))
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [(name, pool.submit(timed, f, *args)) for name, f, args in jobs]
        for name, fut in futures:
            (ok, bad, out), seconds = fut.result()
            passed += ok
            failed += bad
            print('%-44s %6d passed %4d failed %5.0f s' % (name, ok, bad, seconds), flush=True)
            if bad:
                print(out[-6000:], flush=True)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
