#!/usr/bin/python3
"""Mutation testing: small changes of the sources, each of which some test must notice.

usage: tests/mutants/mutants.py [--count N] [--seed S] [--rooms NAME,...] [--build DIR] [--list] [--only N,...] [--full]

Expressions and statements are drawn from the rooms, from each the same number, each line of a room with the same chance. All of them become
switches of one build in a copy of the tree: with TIK_MUTANT=N the N-th has its other form. So a mutant costs no compiling, only the tests:
programs of tests/unit, golden cases, the lit tests of its room, whole kernels, random programs, all lit tests, until one fails; --full goes
on with the rest of the suite. Those of tests/mutants/equivalent.txt were read and make no difference: a line each with the name that this
script prints, then the reason. Ends with a table by room and 'N mutants: K killed, S survived, E equivalent'; the exit code is 1 if fewer
than 97 % of those that are not equivalent were killed. `make mutants MUTANTS=N SEED=S` runs it; it is not part of the suite."""
import argparse
import hashlib
import os
import random
import re
import resource
import subprocess
import sys

import clang.cindex as ci

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
K = ci.CursorKind
ROOMS = {'isa': 'runtime/isa', 'rules': 'runtime/rules', 'num': 'runtime/num', 'layout': 'runtime/layout', 'ops': 'runtime/ops', 'emu': 'runtime/emu',
         'blob': 'runtime/blob', 'passes': 'compiler/passes', 'analysis': 'compiler/analysis', 'lowering': 'compiler/host/lower'}
AIM = 0.97
CPU_SECONDS = 300  # of one process: what does not end is noticed
SWAPS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '&&': '||', '||': '&&',
         '<<': '>>', '>>': '<<', '&': '|', '|': '&', '+=': '-=', '-=': '+='}
# The lit tests and random programs that are most likely to notice something of a room.
LIT = {'isa': 'tik/', 'rules': 'rules/', 'num': 'host/', 'layout': 'tik/', 'ops': 'host/', 'emu': 'blob/', 'blob': 'blob/|cli/', 'passes': 'passes/',
       'analysis': 'passes/', 'lowering': 'host/'}
RANDOM = {'isa': ['choices', 'vector_random'], 'rules': ['rules', 'move_random', 'vector_random'],
          'num': ['num_functions', 'num_conversions', 'scalar_conversions', 'cast_random'], 'layout': ['pack_random', 'lmem_random', 'cube_random'],
          'ops': ['slice_random', 'cube_random', 'move_random', 'lmem_random', 'quant_random', 'image_random'],
          'emu': ['vector_programs', 'cube_random', 'move_random', 'lmem_random', 'check_mode', 'quant_random'], 'blob': ['sync_random'],
          'passes': ['vector_programs', 'differential', 'sync_random'], 'analysis': ['differential', 'vector_programs'],
          'lowering': ['vector_programs', 'differential', 'cast_random', 'slice_random']}
SHORT = {'TIKC_PROGRAMS': '200', 'TIKC_VECTORS': '150', 'TIKC_CUBES': '120', 'TIKC_MOVES': '150', 'TIKC_SLICES': '150', 'TIKC_CHAINS': '300',
         'RULES_COUNT': '2000', 'TIKC_KERNELS': '60', 'TIKC_PACKS': '80', 'TIKC_IMAGES': '60'}
SLOW = ('test_sync', 'test_host_tile', 'test_cube')  # programs of tests/unit that come last
SWITCH = '#ifndef TIK_MUTANT\n#define TIK_MUTANT\nextern int tik_mutant;\n#endif\n#line 1\n'
SETTING = '''#include <stdlib.h>
extern int tik_mutant;
int tik_mutant = -1;
__attribute__((constructor)) static void
set(void)
{
    const char *n = getenv("TIK_MUTANT");
    tik_mutant = n != NULL ? atoi(n) : -1;
}
'''
SOURCES = {}  # the bytes of each file that was read


class Site:
    """A place and what stands there instead."""

    def __init__(self, path, begin, end, line, old, new, form):
        self.path, self.begin, self.end, self.line, self.old, self.new, self.form = path, begin, end, line, old, new, form

    def name(self):
        flat = lambda t: re.sub(r'\s+', ' ', t)
        digest = hashlib.sha256((self.path + self.old + self.new).encode()).hexdigest()[:12]
        return f'{digest} {self.path}:{self.line}: {flat(self.old)} => {flat(self.new)}'

    def text(self, n):
        if self.form == 'statement':
            return f'if (tik_mutant != {n}) {self.old}'
        if self.form == 'condition':
            return f'((tik_mutant == {n}) != !!({self.old}))'
        return f'(tik_mutant == {n} ? ({self.new}) : ({self.old}))'


class File:
    """The sites of a file."""

    def __init__(self, path, flags):
        self.path, self.sites = path, []
        with open(os.path.join(ROOT, path), 'rb') as f:
            self.bytes = SOURCES.setdefault(path, f.read())
        unit = ci.Index.create().parse(os.path.join(ROOT, path), args=flags)
        for c in unit.cursor.get_children():
            if c.kind == K.FUNCTION_DECL and c.is_definition() and c.location.file and c.location.file.name == os.path.join(ROOT, path):
                self.walk(c, None, False)

    def of(self, node):
        e = node.extent
        return self.bytes[e.start.offset:e.end.offset].decode()

    def add(self, node, new, form='expression'):
        e, old = node.extent, self.of(node)
        whole = e.start.file and e.start.file.name.endswith(self.path) and 'assert' not in old.lower() and '#' not in old
        if whole and old and old != new and '"' not in old:
            self.sites.append(Site(self.path, e.start.offset, e.end.offset, e.start.line, old, new, form))

    def between(self, left, right):
        """The operator between two operands, and the text with another one."""
        a, b = left.extent.end.offset, right.extent.start.offset
        gap = self.bytes[a:b].decode()
        m = re.fullmatch(r'([\s)]*)(\S+?)([\s(]*)', gap)
        return (m[2], m) if m else (None, None)

    def walk(self, node, parent, fixed):
        """fixed: the value must be a constant, or is one that a macro has."""
        children = list(node.get_children())
        static = node.kind == K.VAR_DECL and node.storage_class == ci.StorageClass.STATIC
        fixed = fixed or static or node.kind in (K.ENUM_DECL, K.STATIC_ASSERT) if hasattr(K, 'STATIC_ASSERT') else fixed or static
        if not fixed:
            self.note(node, parent, children)
        for i, c in enumerate(children):
            label = node.kind == K.CASE_STMT and i == 0
            size = node.kind == K.VAR_DECL and c.kind == K.INTEGER_LITERAL and '[' in node.type.spelling
            self.walk(c, node, fixed or label or size or node.kind == K.INIT_LIST_EXPR and c.kind == K.INTEGER_LITERAL)

    def note(self, node, parent, children):
        text = self.of(node)
        if node.kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.note_binary(node, parent, children)
        elif node.kind == K.UNARY_OPERATOR and children:
            if text.startswith('!'):
                self.add(node, '!!' + text[1:])
            for a, b in (('++', '--'), ('--', '++')):
                if text.startswith(a) or text.endswith(a):
                    self.add(node, text.replace(a, b, 1) if text.startswith(a) else text[:-2] + b)
        elif node.kind == K.INTEGER_LITERAL:
            other = {'true': 'false', 'false': 'true'}.get(text)
            if other or re.fullmatch(r'\d+', text):
                self.add(node, other or str(int(text) + 1))
        elif node.kind == K.IF_STMT and children:
            self.add(children[0], f'!({self.of(children[0])})', 'condition')
        elif node.kind == K.CALL_EXPR and parent and parent.kind == K.COMPOUND_STMT and 'free' not in text and not re.match('[A-Z]', text):
            self.add(node, '', 'statement')

    def note_binary(self, node, parent, children):
        op, m = self.between(*children)
        if op == '=' and parent and parent.kind == K.COMPOUND_STMT:
            self.add(node, '', 'statement')
        pointers = any(c.type.get_canonical().kind == ci.TypeKind.POINTER for c in children)
        if op not in SWAPS or op in ('*', '&', '|', '/', '%') and pointers:
            return
        left, right = children
        a, b, s = left.extent.end.offset, right.extent.start.offset, node.extent.start.offset
        text = self.bytes[s:a] + (m[1] + SWAPS[op] + m[3]).encode() + self.bytes[b:node.extent.end.offset]
        if not (pointers and op == '-' and all(c.type.get_canonical().kind == ci.TypeKind.POINTER for c in children)):
            self.add(node, text.decode())


def flags():
    llvm = subprocess.run(['llvm-config-19', '--includedir'], capture_output=True, text=True, check=True).stdout.strip()
    return [f'-I{ROOT}/{d}' for d in ('compiler', 'compiler/include', 'runtime', 'runtime/include', 'build/gen')] + [
        f'-I{llvm}', '-std=c11', '-D_POSIX_C_SOURCE=200809L', '-DLANES_AT_avx2', '-mavx2', '-mfma', '-mf16c']


def draw(seed, count, rooms):
    """Sites in the order of their numbers, those of a room after each other; no two overlap. From the same lines whatever the count is."""
    all_of, per = [], -(-count // len(rooms))
    for room in rooms:
        names = subprocess.run(['git', 'ls-files', ROOMS[room]], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        rng = random.Random(f'{seed} {room}')
        lines = {}
        for name in sorted(n for n in names if n.endswith('.c')):
            for site in File(name, flags()).sites:
                lines.setdefault((name, site.line), []).append(site)
        order, chosen = sorted(lines), []
        rng.shuffle(order)
        for place in order:
            site = rng.choice(lines[place])
            if len(chosen) < per + 4 and not any(c.path == site.path and c.begin < site.end and site.begin < c.end for c in chosen):
                chosen.append(site)
        all_of += [(room, s) for s in chosen[:per]]
    return all_of


class Tree:
    """A copy of the tree with all mutants."""

    def __init__(self, folder, mutants):
        self.folder, self.mutants, self.left_out = os.path.abspath(folder), mutants, set()
        os.makedirs(self.folder, exist_ok=True)
        copy = 'git ls-files -z | tar --null -cf - -T - | tar -xf - -C "$1"'
        subprocess.run(['sh', '-c', copy, 'sh', self.folder], cwd=ROOT, check=True)
        with open(f'{self.folder}/runtime/support/mutant_setting.c', 'w', encoding='utf-8') as f:
            f.write(SETTING)
        self.write()
        while not self.make():
            self.write()

    def write(self):
        """Writes the files that have mutants; those that do not compile are left out."""
        for path in {s.path for _, s in self.mutants}:
            text = SOURCES[path]
            here = sorted(((s, n) for n, (_, s) in enumerate(self.mutants) if s.path == path and n not in self.left_out), key=lambda p: -p[0].begin)
            for s, n in here:
                text = text[:s.begin] + s.text(n).encode() + text[s.end:]
            text = SWITCH.encode() + text
            target = os.path.join(self.folder, path)
            with open(target, 'rb') as f:
                same = f.read() == text
            if not same:
                with open(target, 'wb') as f:
                    f.write(text)

    def make(self):
        """Whether it builds; of a file that does not the mutants near the first error are left out."""
        cc = os.environ.get('CC', 'ccache cc')
        p = subprocess.run(['make', '-k', '-j2', f'CC={cc}', 'all', 'test-tools', 'unit'], cwd=self.folder, capture_output=True, text=True)
        wrong = re.findall(r'^(\S+\.c):(\d+):\d+: (?:error|note: in expansion of macro)', p.stderr, re.M)
        before = len(self.left_out)
        for path, line in wrong:
            near = [n for n, (_, s) in enumerate(self.mutants) if s.path == path and n not in self.left_out]
            near.sort(key=lambda n: abs(self.mutants[n][1].line - int(line)))
            self.left_out.update(near[:1])
        if p.returncode and len(self.left_out) == before:
            sys.exit('the tree does not build\n' + p.stderr[-3000:])
        return p.returncode == 0


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))


class Tests:
    def __init__(self, folder):
        self.folder, self.build = folder, f'{folder}/build'
        units = sorted(n for n in os.listdir(f'{self.build}/unit') if '.' not in n)
        self.quick = [n for n in units if n not in SLOW]

    def run(self, number, command, **more):
        env = dict(os.environ, BUILD=self.build, TIKC=f'{self.build}/tikc', TIK_MUTANT=str(number), PYTHONDONTWRITEBYTECODE='1', LC_ALL='C.UTF-8', **more)
        p = subprocess.run(command, cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=bounded)
        return p.returncode == 0

    def stages(self, room, full):
        """(name, command, environment)"""
        suite = lambda *a: [sys.executable, 'tests/run.py', 'build', *a]
        for n in self.quick:
            yield n, [f'{self.build}/unit/{n}'], {}
        yield 'golden', [sys.executable, 'tests/golden/run_golden.py'], {}
        yield 'lit ' + LIT[room], suite('--only', 'lit', '--match', LIT[room]), {}
        yield 'samples', [sys.executable, 'tests/cross/samples_vs_numpy.py'], {}
        yield 'kernels', [sys.executable, 'tests/cross/kernels_on_both.py'], {}
        for n in RANDOM[room]:
            yield n, [sys.executable, f'tests/random/{n}.py'], SHORT
        yield 'lit', suite('--only', 'lit'), {}
        for n in SLOW:
            yield n, [f'{self.build}/unit/{n}'], {}
        if room == 'blob':
            yield 'conformance', [sys.executable, 'tests/cross/conformance_blobs.py'], {}
        for part in ('cross', 'random', 'tables') if full else ():
            yield part, suite('--only', part), {}

    def noticed(self, room, number, full):
        for name, command, env in self.stages(room, full):
            if not self.run(number, command, **env):
                return name
        return None


def equivalent():
    with open(os.path.join(ROOT, 'tests/mutants/equivalent.txt'), encoding='utf-8') as f:
        return {line.split()[0] for line in f if line.strip() and not line.startswith('#')}


def options():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=160)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--rooms', default=','.join(ROOMS))
    p.add_argument('--build', default=os.path.join(ROOT, 'build-mutants'))
    p.add_argument('--list', action='store_true', help='print the mutants and build nothing')
    p.add_argument('--only', default='', help='the numbers of some of them')
    p.add_argument('--full', action='store_true', help='run the whole suite on what survives')
    return p.parse_args()


def table(counts):
    for room, c in counts.items():
        print('%-10s %4d mutants %4d killed %4d survived %4d equivalent' % (room, sum(c), *c))
    killed, survived, same = (sum(c[i] for c in counts.values()) for i in range(3))
    print('%d mutants: %d killed, %d survived, %d equivalent' % (killed + survived + same, killed, survived, same))
    return 0 if killed >= AIM * (killed + survived) and killed else 1


def main():
    o = options()
    rooms = o.rooms.split(',')
    mutants, known = draw(o.seed, o.count, rooms), equivalent()
    only = {int(n) for n in o.only.split(',')} if o.only else set(range(len(mutants)))
    if o.list:
        for n, (room, site) in enumerate(mutants):
            print(n, site.name())
        return 0
    tree = Tree(o.build, mutants)
    tests, counts = Tests(tree.folder), {room: [0, 0, 0] for room in rooms}
    for n, (room, site) in enumerate(mutants):
        if n in tree.left_out or n not in only:
            continue
        name = site.name()
        by = None if name.split()[0] in known else tests.noticed(room, n, o.full)
        fate = 2 if name.split()[0] in known else 0 if by else 1
        counts[room][fate] += 1
        print(f'{n} {name}  {by or ("survived", "equivalent")[fate - 1]}', flush=True)
    return table(counts)


if __name__ == '__main__':
    sys.exit(main())
