#!/usr/bin/python3
"""Blobs of the conformance set as programs of queues, with pipe_barrier(ALL) after each instruction: nothing is then left to order, so
tikc verify proves P7 and P8 of each, whatever instructions it has.

usage: [TIKC=TOOL] barriers.py [TEXT...]: only files whose names contain one of the texts. Ends with 'N passed, N failed'."""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa

CONTROL = re.compile(r'\s*(loop|endloop|if|else|endif|break|continue|return|r\d+ =|store|end\b)')


def with_barriers(text):
    """The text of a blob, with queues and barriers."""
    out, code = [], False
    for line in text.splitlines():
        if line.startswith('kernel '):
            line = re.sub(r' steps \d+', ' steps 0', line)
            line += '' if line.endswith(' queues') else ' queues'
        code = (code or line == 'code') and line != 'end'
        out.append(line)
        if code and line != 'code' and not CONTROL.match(line):
            out.append('pipe_barrier pipe=7')
    return '\n'.join(out) + '\n'


def check(path, folder):
    """What is wrong; '': nothing; null: it has flags of its own."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    if '_flag ' in text:
        return None
    blob = os.path.join(folder, 'k.tkb')
    p = subprocess.run([TIKC, 'asm', '-', '-o', blob], input=with_barriers(text), capture_output=True, text=True)
    if p.returncode != 0:
        return p.stderr
    p = subprocess.run([TIKC, 'verify', blob], capture_output=True, text=True)
    return '' if p.returncode == 0 and p.stdout.count('P8  proved') == text.count('\nkernel ') else p.stdout + p.stderr


def main():
    words, passed, failed = sys.argv[1:], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob(os.path.join(ROOT, 'tests/blobs/accepted/*.txt'))):
            if words and not any(w in path for w in words):
                continue
            wrong = check(path, folder)
            passed += wrong == ''
            failed += bool(wrong)
            if wrong:
                print(f'{os.path.relpath(path, ROOT)}: {wrong[:400]}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
