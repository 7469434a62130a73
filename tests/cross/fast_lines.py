#!/usr/bin/python3
"""Compares the two ways in which lines are read: at once by the fast path of the parser (compiler/syntax/fast_line.c),
and token by token by the grammar.
usage: fast_lines.py [FILE...]
BUILD names the build directory. Without files, all programs of the tree and the snippets of tests/lit/syntax/inputs
are taken.

The fast path leaves every line with a tab in it to the grammar. So each program is read as it is, and with a tab at
the end of each line: both accept it or both refuse it, the trees print alike, and the nodes are at the same places,
but for the tabs. How many lines it has read is not seen here; bench/front measures that.

Lines of the shape of lines before them have copies of their trees (compiler/syntax/line_shape.c). So each program is
also read several times in a row, with other numbers in each."""
import bisect
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa

PROGRAMS = ['tests/**/*.tik', 'samples/*.tik', 'stdlib/*.tik', 'bench/**/*.tik', 'bench/front/micro/*.py']
# Statements of every form that is read at once, and next to each what is not.
OF_ITS_OWN = '''
t.vec_add(64, dst[i * 64 + (1 << 3)], src[0:16, ::2, :, 1:], -1, +2.5, repeat=~3, name='x', n="y z")
a = b[1,] = c
a.b[c](d, e=1,).f = (1, 2,), [3, [], ()], None, True
a = (1, 2,)
a = [not x and y or not z, x == y, 1 < a <= 2 != b >= -c ** -d ** 2]
a = b + c << d - e & f >> g * h | i ^ j & k < l @ m == n ** -o
a **= b // c % d @ e | f ^ g & h << 1 >> 2
a //= 1
a <<= 1
a |= 0x10
a[ :1, 2] = a[:]
a[:] += 1_0
a, b = c
a = 00
a = 1.5.real
a = 1.e5
a = 'b' 'c'
a = ''
a = \'\'\'long\'\'\'
a = 'b\\n'
a = f'{b}'
a = 12345678901234567890
a = 123456789012345678, 1234567890123456789, 1234567890123456789.5, 4294967296, 4294967295
a = 1.25, 0.5, 1.2_5, 1.
a = 00.5
a = a_name_of_twenty_letters(b_name_of_twenty_letters.c_name_of_twenty_letters)
a = b if c else d
a = b in c, b not in c, b is not c
f(a for a in b)
f(*a, **b)
f(a, b=c, **d)
(f)(-(-1)).g[-1:-2:-3]
andy = orion = notes
return_value = iffy(forest, within)
x = y  # tikc: a comment
pass
for i in f(x)[1:]:
    for i, j in x:
        if not i: pass
    if i < 1:
        with a as b: pass
    elif i:
        with a.b(1) as c:
            x = (1 +
                 f(2,
                   a=3))
    else:
        with (a): pass
        with (a) as b: pass
        with a, b as c: pass
        if'x':
            pass
        with a:
            return_ = 1
else:
    for_ = 1

def f(a, b=1):
    if a == 1: return
    return a
    return a.b(c)[d]
    return a, b
'''
END = '#' * 40 + '\n'  # the last bytes of a text are not read at once


def read(path):
    with open(path, encoding='utf-8', errors='replace', newline='') as f:
        return f.read()


def texts(paths):
    """The programs that tabs at the ends of lines do not change."""
    for path in paths:
        for text in re.split(r'^# ---.*\n', read(path), flags=re.M):
            if text and not re.search(r'\\\r?\n|"""|\'\'\'|\r', text):
                yield path, text


def other_digits(number, i):
    """As many digits as in a number, others for each i; the first is no 0, as no number begins with one."""
    return ''.join(str((int(d) + 7 * i + k) % 9 + 1) for k, d in enumerate(number))


def repeated(text):
    """The text, the same again, and two more times with other plain integers, of as many digits each."""
    text = text if text.endswith('\n') else text + '\n'
    plain = r'(?<![\w.])\d+(?![\w.])'
    return text + ''.join(re.sub(plain, lambda m: other_digits(m[0], i), text) if i else text for i in range(3))


def many_shapes():
    """More shapes than are kept."""
    return ''.join(repeated(f'a_{i} = f({i}, {"x" * (i % 40 + 1)}, b_{i * i}[{i}:], c=[{i}, 1.{i}, x < {i}])') for i in range(1500))


class Pairs:
    """Programs as they are, and with tabs."""

    def __init__(self, tool):
        self.tool = tool
        self.folder = tempfile.mkdtemp()
        self.pairs = []  # (name, text, path)
        self.bad = 0

    def add(self, name, text):
        path = os.path.join(self.folder, f'{len(self.pairs)}.tik')
        for to, what in ((path, text), (path + '.tabs', text.replace('\n', '\t\n'))):
            with open(to, 'w', encoding='utf-8', newline='') as f:
                f.write(what)
        self.pairs.append((name, text, path))

    def spans(self, path, tabs):
        """Places in the text without tabs: tabs are where those of a text with them are."""
        return [(kind, *(int(x) - bisect.bisect_left(tabs, int(x)) for x in places))
                for kind, *places in (line.split() for line in read(path + '.spans').splitlines())]

    def check(self, name, text, path):
        accepted = [os.path.exists(p + '.print') for p in (path, path + '.tabs')]
        if accepted[0] != accepted[1]:
            return f'accepted at once and token by token: {accepted}'
        if not accepted[0]:
            return None
        if read(path + '.print') != read(path + '.tabs.print'):
            return 'the trees differ'
        tabs = [m.start() + i for i, m in enumerate(re.finditer(b'\n', text.encode()))]
        ours, theirs = self.spans(path, []), self.spans(path + '.tabs', tabs)
        return None if ours == theirs else f'places differ: {sorted(set(ours) ^ set(theirs))[:6]}'

    def check_all(self):
        files = [p + end for _, _, p in self.pairs for end in ('', '.tabs')]
        for i in range(0, len(files), 500):
            subprocess.run([self.tool, '--all', *files[i:i + 500]], check=True, timeout=600)
        for name, text, path in self.pairs:
            what = self.check(name, text, path)
            if what:
                self.bad += 1
                print(f'---- {name}: {what}')
        shutil.rmtree(self.folder)


def main():
    pairs = Pairs(os.path.join(os.environ.get('BUILD', os.path.join(ROOT, 'build')), 'tools/astprint'))
    found = [p for pattern in PROGRAMS for p in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))]
    found += sorted(glob.glob(os.path.join(ROOT, 'tests/lit/syntax/inputs/*.txt')))
    for path, text in texts(sys.argv[1:] or found):
        pairs.add(path, text)
        pairs.add(path + ', repeated', repeated(text))
    for line in OF_ITS_OWN.strip().split('\n'):
        pairs.add(line, line + '\n' + END)
        pairs.add(line + ', repeated', repeated(line) + END)
        pairs.add(line + ', other digits', line + '\n' + repeated(re.sub(r'\d', '0', line)) + END)
    pairs.add('lines of this test', OF_ITS_OWN + END)
    pairs.add('lines of this test, repeated', repeated(OF_ITS_OWN) + END)
    pairs.add('lines of many shapes', many_shapes() + many_shapes() + END)
    pairs.check_all()
    print(f'{len(pairs.pairs) - pairs.bad} passed, {pairs.bad} failed')
    return 1 if pairs.bad or not pairs.pairs else 0


if __name__ == '__main__':
    sys.exit(main())
