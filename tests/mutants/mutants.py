#!/usr/bin/python3
"""Mutation testing: changes one line of the sources in a copy of the tree, builds it, and runs tests until one fails. A mutant that no
test notices has survived: a test is missing, or the change makes no difference.

usage: tests/mutants/mutants.py [--count N] [--seed S] [--files PATTERN] [--build DIR] [--list]

Lines are drawn from the rooms of ROOMS, each line with the same chance. Mutants that do not compile, and those whose object code is
that of the original, do not count. tests/mutants/equivalent.txt has those that were read and make no difference: a line each with
the name that this script prints, then the reason. The last line is 'N mutants: K killed, S survived, E equivalent'; the exit code is 1 if
fewer than 97 % of those that are not equivalent were killed. `make mutants MUTANTS=N SEED=S` runs it; it is not part of the suite."""
import argparse
import hashlib
import os
import random
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = ('runtime/isa', 'runtime/rules', 'runtime/num', 'runtime/layout', 'runtime/ops', 'runtime/emu', 'runtime/blob', 'compiler/passes',
         'compiler/analysis', 'compiler/host/lower')
AIM = 0.97
TIMEOUT = 1800  # of one stage; a mutant that hangs is noticed by it
# What is run for a mutant, in this order, until something fails: the quick stages first.
STAGES = (['--only', 'unit'], ['--only', 'lit'], ['--only', 'golden'], ['--only', 'cross'], ['--only', 'random'], ['--only', 'tables'])
SWAPS = ((r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '), (r' != ', ' == '),
         (r' \+ ', ' - '), (r' - ', ' + '), (r' \* ', ' + '), (r' / ', ' * '), (r' % ', ' / '), (r' && ', ' || '), (r' \|\| ', ' && '),
         (r' << ', ' >> '), (r' >> ', ' << '), (r' & ', ' | '), (r' \| ', ' & '), (r'\+\+', '--'), (r' \+= ', ' -= '), (r' -= ', ' += '),
         (r'\btrue\b', 'false'), (r'\bfalse\b', 'true'), (r'!(?=[a-z(])', ''))
STATEMENT = re.compile(r'^\s+(?!return|case|break|goto|continue|default|TRY)[\w\->\[\].*&]+( [-+|&]?= .+|\(.*\));$')


def tracked(pattern):
    names = subprocess.run(['git', 'ls-files', *ROOMS], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [n for n in names if n.endswith('.c') and re.search(pattern, n)]


def code_lines(text):
    """The numbers of lines that are code, and these lines; comments, texts and directives are none."""
    blank = lambda m: re.sub(r'[^\n]', ' ', m.group())
    text = re.sub(r'/\*.*?\*/', blank, text, flags=re.S)
    for i, line in enumerate(text.split('\n')):
        plain = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', lambda m: '\0' * len(m.group()), line)
        skipped = 'free(' in plain or '{0}' in plain  # leaks are for sanitizers
        if line.startswith(' ') and not skipped and not plain.lstrip().startswith('#') and 'assert' not in plain.lower():
            yield i, plain.rstrip(' \\')


def changes(line):
    """All mutants of a line."""
    for pattern, other in SWAPS:
        for m in re.finditer(pattern, line):
            yield line[:m.start()] + other + line[m.end():]
    for m in re.finditer(r'(?<![\w.])\d+(?![\w.])', line):
        yield line[:m.start()] + str(int(m.group()) + 1) + line[m.end():]
    m = re.match(r'^(\s+)(?:\} else )?if \((.*)\) \{$', line)
    if m and m.group(2).count('(') == m.group(2).count(')'):
        yield line.replace('(' + m.group(2) + ')', '(!(' + m.group(2) + '))', 1)
    if STATEMENT.match(line):
        yield re.match(r'\s*', line).group() + ';'


def draw(rng, files, count):
    """Different (file, line number, old line, new line)."""
    sites = []
    for name in files:
        with open(os.path.join(ROOT, name), encoding='utf-8') as f:
            text = f.read()
        lines = text.split('\n')
        for i, plain in code_lines(text):
            if '\0' not in plain and any(True for _ in changes(plain)):
                sites.append((name, i, lines[i]))
    rng.shuffle(sites)
    for name, i, line in sites[:count * 3]:
        yield name, i, line, rng.choice(list(changes(line.rstrip(' \\')))) + (' \\' if line.endswith('\\') else '')


def title(name, i, old, new):
    """The name of a mutant, which survives changes elsewhere in the file."""
    digest = hashlib.sha256((name + old.strip() + new.strip()).encode()).hexdigest()[:12]
    return '%s %s:%d: %s => %s' % (digest, name, i + 1, old.strip(), new.strip())


class Tree:
    """A copy of the tree, in which one mutant at a time is built."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        os.makedirs(self.folder, exist_ok=True)
        copy = 'git ls-files -z | tar --null -cf - -T - | tar -xf - -C "$1"'
        archive = subprocess.run(['sh', '-c', copy, 'sh', self.folder], cwd=ROOT, check=False)
        if archive.returncode != 0 or not self.make():
            sys.exit('the tree does not build')
        self.plain = self.code()

    def make(self):
        """Whether the tree builds."""
        self.env = dict(os.environ, BUILD=os.path.join(self.folder, 'build'))
        p = subprocess.run(['make', '-j2', 'CC=' + os.environ.get('CC', 'cc'), 'all', 'test-tools', 'unit'], cwd=self.folder,
                           capture_output=True, text=True)
        return p.returncode == 0

    def code(self):
        """A digest of the object code of each object, without what debuggers read."""
        out = {}
        for top, _, names in os.walk(os.path.join(self.folder, 'build')):
            for name in names:
                if name.endswith('.o'):
                    path = os.path.join(top, name)
                    p = subprocess.run(['objdump', '-d', '-s', '-j', '.text', '-j', '.rodata', '-j', '.data', path], capture_output=True)
                    out[path] = hashlib.sha256(p.stdout).hexdigest()
        return out

    def write(self, name, i, line):
        path = os.path.join(self.folder, name)
        with open(path, encoding='utf-8') as f:
            lines = f.read().split('\n')
        lines[i] = line
        with open(path, 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines))

    def notices(self):
        """The stage that fails, or null."""
        for stage in STAGES:
            try:
                p = subprocess.run(['/usr/bin/python3', 'tests/run.py', 'build', *stage], cwd=self.folder, env=self.env,
                                   capture_output=True, text=True, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                return stage[1] + ' (hangs)'
            if p.returncode != 0:
                return stage[1]
        return None


def try_mutant(tree, mutant):
    """What becomes of a mutant: 'none' (it does not count), a stage, or 'survived'."""
    name, i, old, new = mutant
    tree.write(name, i, new)
    try:
        if not tree.make() or tree.code() == tree.plain:
            return 'none'
        return tree.notices() or 'survived'
    finally:
        tree.write(name, i, old)


def equivalent():
    path = os.path.join(ROOT, 'tests/mutants/equivalent.txt')
    with open(path, encoding='utf-8') as f:
        return {line.split()[0] for line in f if line.strip() and not line.startswith('#')}


def options():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=36)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--files', default='')
    p.add_argument('--build', default=os.path.join(ROOT, 'build-mutants'))
    p.add_argument('--list', action='store_true', help='print the mutants and build nothing')
    return p.parse_args()


def main():
    o = options()
    known, counts = equivalent(), {'killed': 0, 'survived': 0, 'equivalent': 0}
    mutants = draw(random.Random(o.seed), tracked(o.files), o.count)
    tree = None if o.list else Tree(o.build)
    for mutant in mutants:
        if sum(counts.values()) == o.count:
            break
        name = title(*mutant)
        fate = 'killed' if o.list else 'equivalent' if name.split()[0] in known else try_mutant(tree, mutant)
        if fate == 'none':
            continue
        kind = fate if fate in counts else 'killed'
        counts[kind] += 1
        print('%s  %s' % (name, '' if o.list else fate), flush=True)
    if o.list:
        return 0
    print('%d mutants: %d killed, %d survived, %d equivalent' % (sum(counts.values()), counts['killed'], counts['survived'], counts['equivalent']))
    counted = counts['killed'] + counts['survived']
    return 0 if counted and counts['killed'] >= AIM * counted else 1


if __name__ == '__main__':
    sys.exit(main())
