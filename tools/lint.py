#!/usr/bin/python3
"""House rules that a machine can see. Prints what is wrong, exits 1 if anything is.
- formatting (clang-format-19)
- include direction: runtime never includes the compiler; lower layers never include higher ones
- functions of at most 80 lines unless they are one switch; files of at most 1500 lines
- banned functions below main; no exit or printing in the libraries
- marks of unfinished work; generated pages up to date"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LAYERS = ['base', 'syntax', 'ir', 'stage', 'analysis', 'passes', 'stream', 'host', 'lib', 'driver']
BANNED = r'\b(strcpy|strcat|sprintf|gets|strtok|atoi|atol|alloca|setjmp|longjmp)\s*\('
PRINTS = r'\b(printf|fprintf|puts|fputs|exit|_exit)\s*\('
MARKS = r'\b(TODO|FIXME|XXX|HACK)\b|not implemented|for now\b'


def files(*patterns):
    out = subprocess.run(['git', 'ls-files', *patterns], cwd=ROOT, capture_output=True, text=True)
    return out.stdout.split()


def strip(text):
    """Comments and string contents blanked, lines kept."""
    keep = lambda m: re.sub(r'[^\n]', ' ', m.group())
    text = re.sub(r'/\*.*?\*/', keep, text, flags=re.S)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def layer(path):
    parts = path.split('/')
    return parts[1] if parts[0] == 'compiler' else None


def check_includes(path, text, bad):
    for line, inc in ((i, m.group(1)) for i, l in enumerate(text.split('\n'), 1)
                      for m in [re.match(r'#include "([^"]+)"', l)] if m):
        first = inc.split('/')[0]
        if path.startswith('runtime/') and first in LAYERS:
            bad.append(f'{path}:{line}: runtime includes the compiler: {inc}')
        mine = layer(path)
        if mine in LAYERS and first in LAYERS and LAYERS.index(first) > LAYERS.index(mine):
            bad.append(f'{path}:{line}: {mine} includes the higher layer {inc}')


def check_functions(path, code, bad):
    name, start = None, 0
    for i, line in enumerate(code.split('\n'), 1):
        if line == '{' or re.match(r'^\w.*\)\s*\{$', line):
            start = i
        elif line == '}' and start:
            body = '\n'.join(code.split('\n')[start - 1:i])
            flat = body.count('case ') > 12
            if i - start > 80 and not flat:
                bad.append(f'{path}:{start}: function of {i - start} lines')
            start = 0
    del name


def check_file(path, bad):
    raw = open(os.path.join(ROOT, path), encoding='utf-8').read()
    code = strip(raw)
    check_includes(path, raw, bad)
    if len(raw.split('\n')) > 1500:
        bad.append(f'{path}: more than 1500 lines')
    if path.endswith('.c'):
        check_functions(path, code, bad)
        if not raw.lstrip().startswith('/*'):
            bad.append(f'{path}: no head comment')
    library = path.startswith(('compiler/', 'runtime/')) and '/driver/' not in path
    for i, line in enumerate(code.split('\n'), 1):
        if re.search(BANNED, line):
            bad.append(f'{path}:{i}: banned function: {line.strip()}')
        if library and re.search(PRINTS, line) and path != 'compiler/base/base.c':
            bad.append(f'{path}:{i}: prints or exits below main: {line.strip()}')
    for i, line in enumerate(raw.split('\n'), 1):
        if re.search(MARKS, line):
            bad.append(f'{path}:{i}: unfinished: {line.strip()}')


def main():
    bad = []
    sources = files('compiler/*.c', 'compiler/*.h', 'runtime/*.c', 'runtime/*.h', 'tests/*.c')
    for path in sources:
        check_file(path, bad)
    fmt = subprocess.run(['clang-format-19', '--dry-run', '-Werror', *sources], cwd=ROOT,
                         capture_output=True, text=True)
    bad += sorted({l.split(':')[0] + ': not formatted (make format)' for l in fmt.stderr.split('\n')
                   if 'error: code should be clang-formatted' in l})
    docs = subprocess.run([sys.executable, 'tools/gen-docs.py', '--check'], cwd=ROOT, capture_output=True,
                          text=True)
    bad += docs.stdout.split('\n') if docs.returncode else []
    print('\n'.join(b for b in bad if b))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
