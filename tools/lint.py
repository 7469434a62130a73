#!/usr/bin/python3
"""House rules that a machine can see. Prints what is wrong, exits 1 if anything is.
usage: tools/lint.py [--staged]   (--staged: only the files that git is about to commit, as they are staged)
- formatting (clang-format-19)
- include direction: a room includes only what ROOMS lists; every include names a file; no circle of rooms
- functions of at most 80 lines unless they are one switch; files of at most 1500 lines
- lines of at most 90 columns, banners of 80
- banned functions below main; no exit or printing in the libraries
- words that docs/glossary.md does without; files that comments name and that do not exist
- marks of unfinished work; generated pages up to date"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What the files of a room may include beside their own room, from the lowest room on. The two back ends, ops
# and emu, never know each other, nor does the evaluator of Python know the IR.
FACTS = ['runtime/isa', 'runtime/num', 'runtime/layout', 'runtime/rules']
RT = FACTS + ['runtime/include', 'runtime/support']
IR = FACTS + ['compiler/base', 'compiler/ir']
ROOMS = {
    'runtime/isa': [],
    'runtime/num': ['runtime/isa'],
    'runtime/layout': ['runtime/isa'],
    'runtime/rules': FACTS[:3],
    'runtime/lean': FACTS[:2],
    'runtime/include': FACTS,
    'runtime/support': FACTS + ['runtime/include'],
    'runtime/ops': RT,
    'runtime/emu': RT,
    'runtime/blob': RT + ['runtime/lean'],
    'runtime/launch': RT + ['runtime/ops', 'runtime/emu', 'runtime/blob'],
    'compiler/base': ['runtime/isa'],
    'compiler/syntax': ['compiler/base'],
    'compiler/python': ['compiler/base', 'compiler/syntax'],
    'compiler/ir': FACTS + ['compiler/base'],
    'compiler/tik': IR + ['compiler/python', 'runtime/include'],
    'compiler/analysis': IR,
    'compiler/passes': IR + ['compiler/analysis'],
    'compiler/include': IR + ['compiler/passes'],
    'compiler/host': IR + ['compiler/analysis', 'compiler/include', 'runtime/include'],
    'compiler/mpi': ['runtime/include'],
    'compiler/stream': IR + ['compiler/analysis', 'compiler/include', 'runtime/include', 'runtime/blob'],
    'compiler/lib': IR + ['compiler/syntax', 'compiler/python', 'compiler/tik', 'compiler/include', 'compiler/host'],
    'compiler/lsp': IR + ['compiler/syntax', 'compiler/tik', 'compiler/passes'],
    'compiler/driver': IR + ['compiler/tik', 'compiler/passes', 'compiler/include', 'compiler/host', 'compiler/lib',
                             'compiler/lsp', 'compiler/mpi', 'runtime/include', 'runtime/launch'],
}
INCLUDED_FROM = ['compiler', 'compiler/include', 'runtime', 'runtime/include']
GENERATED = ['tik.tab.h', 'tik.lex.h', 'family.h', 'family.inc', 'helpers_id.h', 'host_id.h']
BANNED = r'\b(strcpy|strcat|sprintf|gets|strtok|atoi|atol|alloca|setjmp|longjmp)\s*\('
PRINTS = r'\b(printf|fprintf|puts|fputs|exit|_exit)\s*\('
MARKS = r'\b(TODO|FIXME|XXX|HACK)\b|not implemented|for now\b'


def files(*patterns):
    out = subprocess.run(['git', 'ls-files', *patterns], cwd=ROOT, capture_output=True, text=True)
    return out.stdout.split()


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def read_staged(path):
    return subprocess.run(['git', 'show', ':' + path], cwd=ROOT, capture_output=True, check=True).stdout.decode()


def strip(text):
    """Comments and string contents blanked, lines kept."""
    keep = lambda m: re.sub(r'[^\n]', ' ', m.group())
    text = re.sub(r'/\*.*?\*/', keep, text, flags=re.S)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def room(path):
    return '/'.join(path.split('/')[:2])


def check_includes(path, text, bad):
    if not path.startswith(('compiler/', 'runtime/')):
        return
    for line, inc in ((i, m.group(1)) for i, l in enumerate(text.split('\n'), 1)
                      for m in [re.match(r'#include "([^"]+)"', l)] if m and m.group(1) not in GENERATED):
        found = [f'{d}/{inc}' for d in INCLUDED_FROM if os.path.exists(os.path.join(ROOT, d, inc))]
        if len(found) != 1:
            bad.append(f'{path}:{line}: {inc} is {"no file" if not found else "one of several files"} of {INCLUDED_FROM}')
        elif room(found[0]) not in (room(path), *ROOMS[room(path)]):
            bad.append(f'{path}:{line}: {room(path)} includes {room(found[0])}: {inc}')


def check_rooms(bad):
    """The table itself: each room is listed behind those that it includes, so there is no circle."""
    known = []
    for name, may in ROOMS.items():
        bad += [f'tools/lint.py: {name} may include {r}, which is not below it' for r in may if r not in known]
        known.append(name)


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


def check_file(path, raw, bad):
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
        if len(line) > 90 and not line.startswith('#define') and not line.endswith('\\'):
            bad.append(f'{path}:{i}: line of {len(line)} columns')
        if re.match(r'/\* -{3,} ', line) and len(line) != 80:
            bad.append(f'{path}:{i}: banner of {len(line)} columns in the place of 80')
        if re.search(MARKS, line):
            bad.append(f'{path}:{i}: unfinished: {line.strip()}')


WORDS_OF_OTHERS = {('stdlib/pathlib.tik', 'touch')}  # names that an interface of others has
TEXTS = ('*.c', '*.h', '*.def', '*.y', '*.l', '*.md', 'tools/*.py', 'tests/*.py', 'bench/*.py', 'stdlib/*.tik', 'samples/*.tik')


def unused_words():
    """The words in the first column of the glossary's last table, as one expression."""
    table = read('docs/glossary.md').split('## Words that are not used')[1]
    words = [w for row in re.findall(r'^\| (`.*?`) \|', table, re.M) for w in re.findall(r'`(.*?)`', row)]
    return re.compile(r'(?<![\w-])(' + '|'.join(words) + r')(?![\w-])', re.I)


def check_named_files(path, text, names, bad):
    for comment in re.finditer(r'/\*.*?\*/', text, re.S):
        for m in re.finditer(r'(?<![\w.*<-])([a-z]\w{2,}\.(?:c|h|def))\b(?!\()', comment.group()):
            if m.group(1) not in names:
                line = text.count('\n', 0, comment.start() + m.start()) + 1
                bad.append(f'{path}:{line}: there is no file {m.group(1)}')


def check_words(bad):
    unused = unused_words()
    names = {os.path.basename(p) for p in files()} | set(GENERATED)
    for path in files(*TEXTS):
        if path in ('docs/glossary.md', 'tools/lint.py'):
            continue
        for i, line in enumerate(read(path).split('\n'), 1):
            for m in unused.finditer(line):
                if (path, m.group()) in WORDS_OF_OTHERS:
                    continue
                bad.append(f"{path}:{i}: '{m.group()}': see docs/glossary.md")
        if path.endswith(('.c', '.h', '.def')):
            check_named_files(path, read(path), names, bad)


def unformatted(sources):
    fmt = subprocess.run(['clang-format-19', '--dry-run', '-Werror', *sources], cwd=ROOT,
                         capture_output=True, text=True)
    return {l.split(':')[0] for l in fmt.stderr.split('\n') if 'error: code should be clang-formatted' in l}


def is_unformatted(path, text):
    fmt = subprocess.run(['clang-format-19', '--assume-filename=' + path], input=text, cwd=ROOT, capture_output=True, text=True)
    return fmt.stdout != text


def check_pages(bad):
    docs = subprocess.run([sys.executable, 'tools/gen-docs.py', '--check'], cwd=ROOT, capture_output=True,
                          text=True)
    bad += docs.stdout.split('\n') if docs.returncode else []


SOURCES = ('compiler/*.c', 'compiler/*.h', 'runtime/*.c', 'runtime/*.h', 'tests/*.c',
           'bench/*.c', 'bench/*.h', 'samples/*.c')


def staged_files(*arguments):
    out = subprocess.run(['git', 'diff', '--cached', '--name-only', *arguments], cwd=ROOT, capture_output=True, text=True,
                         check=True)
    return out.stdout.split()


def head_changes(path, text):
    """The head comment, of which docs/architecture.md has the first sentence, is another one than before."""
    old = subprocess.run(['git', 'show', 'HEAD:' + path], cwd=ROOT, capture_output=True)
    return old.stdout.decode(errors='replace').split('*/')[0] != text.split('*/')[0]


def check_staged(bad):
    """Contents are those of the index. Making the pages takes seconds, so it is done where the commit can change them, and
    from the files of the tree."""
    pages = any(p.endswith('.def') or p.startswith(('docs/', 'tools/')) for p in staged_files())
    pages = pages or bool(staged_files('--diff-filter=ADR', '--', *SOURCES))
    for path in staged_files('--diff-filter=ACMR', '--', *SOURCES):
        text = read_staged(path)
        pages = pages or head_changes(path, text)
        check_file(path, text, bad)
        if is_unformatted(path, text):
            bad.append(path + ': not formatted (make format)')
    if pages:
        check_pages(bad)


def main():
    bad = []
    check_rooms(bad)
    if '--staged' in sys.argv:
        check_staged(bad)
    else:
        sources = files(*SOURCES)
        for path in sources:
            check_file(path, read(path), bad)
        bad += sorted(path + ': not formatted (make format)' for path in unformatted(sources))
        check_words(bad)
        check_pages(bad)
    print('\n'.join(b for b in bad if b))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
