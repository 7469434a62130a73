#!/usr/bin/python3
"""Removes each check of loader and verifier in turn, and shows that the tests of blobs notice.

usage: tests/mutants/checks.py BUILD FILE...    (make checks-removed; FILE: the sources of loader and verifier)
       --refusers  prints the functions of FILE whose result is a refusal whatever happens;
       --list  prints the checks and runs nothing;  --only N[,N]  tries these;  --keep  goes on where the last run ended

A check is a condition that a refusal hangs on: each of the conditions that || joins in `if (a || b) return blob_bad(...)`, that && joins in
`return (a && b) || blob_bad(...)`, and those that make the result of a variable or of a function of these files that stands there. All of
them become switches of one program: with TIK_REMOVED=N the N-th condition is computed, and then taken for the one that refuses nothing.

Tests run in the order of TESTS until one fails. tests/mutants/redundant.txt names the checks that no blob can tell from a program without
them, a line each 'FILE FUNCTION CONDITION # reason'. The last line is 'N checks removed: K noticed, R redundant, S not noticed'; the exit
code is 1 if S is not 0."""
import json
import os
import re
import resource
import subprocess
import sys

import clang.cindex as ci

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
K = ci.CursorKind
RECORDERS = {'finding', 'data_found'}  # refuse by what they write; what refuses by its result is found in the sources
DIAGNOSIS = 'TikBlobDiag'
RACE = 'SYNC_RACE'  # what a verdict has that refuses
FLAGS = ['-Icompiler', '-Iruntime', '-Iruntime/include', '-std=c11', '-D_POSIX_C_SOURCE=200809L']
SWITCH = '''
#ifndef TIK_REMOVED
#define TIK_REMOVED
#include <stdbool.h>
extern int tik_removed;
static inline bool tik_check(int n, bool passes, bool value) { return tik_removed == n ? passes : value; }
#endif
'''
SETTING = '''
#include <stdlib.h>
int tik_removed = -1;
__attribute__((constructor)) static void set(void) { const char *n = getenv("TIK_REMOVED"); tik_removed = n ? atoi(n) : -1; }
'''
TIMEOUT = 1200
CPU_SECONDS = 25  # of one process, for checks without which a loop does not end
BOOL = ('bool', '_Bool')


class Source:
    """A file with its functions."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(ROOT, path), encoding='utf-8') as f:
            self.text = f.read()
        self.bytes = self.text.encode()
        unit = ci.Index.create().parse(os.path.join(ROOT, path), args=[a.replace('-I', f'-I{ROOT}/') for a in FLAGS])
        self.functions = {c.spelling: c for c in unit.cursor.get_children()
                          if c.kind == K.FUNCTION_DECL and c.is_definition() and c.location.file.name == os.path.join(ROOT, path)}

    def key(self, name):
        """A function that the file calls by this name; those of other files that have it are others."""
        return (self.path if name in self.functions else None, name)

    def of(self, node):
        e = node.extent
        return self.bytes[e.start.offset:e.end.offset].decode()


def returns(node):
    """The statements that return from a function."""
    if node.kind == K.RETURN_STMT:
        yield node
    for c in node.get_children():
        yield from returns(c)


def refuses_always(s, f, known):
    """Whether all that a function returns is false, if it is given a diagnosis to fill, or what one of the known functions returns."""
    values = [next(r.get_children(), None) for r in returns(f)]
    tells = any(DIAGNOSIS in p.type.spelling for p in f.get_arguments())
    return f.result_type.spelling in BOOL and bool(values) and all(
        v is not None and (tells and s.of(v) == 'false' or v.kind == K.CALL_EXPR and s.key(v.spelling) in known) for v in values)


def refusers(sources):
    """The functions whose result is a refusal whatever happens, as Source.key has them, and those that return theirs."""
    known = set()
    while True:
        found = {key for s in sources for name, f in s.functions.items() if refuses_always(s, f, known)
                 for key in ((s.path, name), *([(None, name)] if f.linkage == ci.LinkageKind.EXTERNAL else []))}
        if found <= known:
            return known
        known |= found


class Finder:
    """Finds the conditions of the checks: {(path, begin, end): (function, passes)}"""

    def __init__(self, paths):
        self.sources = [Source(p) for p in paths]
        self.refusers = refusers(self.sources) | {s.key(name) for s in self.sources for name in RECORDERS}
        self.sites, self.done = {}, set()
        self.grow_refusers()
        for s in self.sources:
            for name, f in s.functions.items():
                if not self.refuses(s, name):
                    self.refusals(s, name, f)

    # ---- refusals

    def refuses(self, s, name):
        """Whether a function refuses whatever happens."""
        return s.key(name) in self.refusers

    def calls(self, s, node, parents):
        """Each call of a refuser with the nodes around it."""
        if node.kind == K.CALL_EXPR and self.refuses(s, node.spelling) or node.kind == K.COMPOUND_LITERAL_EXPR and RACE in s.of(node):
            yield node, parents
            return
        for child in node.get_children():
            yield from self.calls(s, child, parents + [node])

    def grow_refusers(self):
        """A function whose refusal has no condition is one itself."""
        while True:
            size = len(self.refusers)
            for s in self.sources:
                for name, f in s.functions.items():
                    for call, parents in self.calls(s, f, []) if not self.refuses(s, name) else ():
                        if not self.guards(s, call, parents):
                            self.refusers.add((s.path, name))
            if len(self.refusers) == size:
                return

    def guards(self, s, call, parents):
        """[(condition, its value without a refusal)] of a call."""
        below = call
        for node in reversed(parents):
            if node.kind == K.BINARY_OPERATOR and self.operator(s, node) == '||':
                left, right = node.get_children()
                if right.extent == below.extent:
                    return [(left, True)]
            if node.kind == K.IF_STMT:
                parts = list(node.get_children())
                if below.extent != parts[0].extent:
                    return [(parts[0], below.extent != parts[1].extent)]
            if node.kind == K.CASE_STMT or node.kind == K.DEFAULT_STMT:
                return []
            if node.kind == K.COMPOUND_STMT:
                found = self.earlier(node, below)
                if found:
                    return found
            below = node
        return []

    @staticmethod
    def earlier(block, below):
        """The condition of an earlier `if (...) { return ...; }` of a block."""
        found = []
        for child in block.get_children():
            if child.extent == below.extent:
                break
            if child.kind == K.IF_STMT:
                parts = list(child.get_children())
                last = list(parts[1].get_children())
                passes = len(parts) == 2 and last and last[-1].kind == K.RETURN_STMT
                text = ' '.join(t.spelling for t in last[-1].get_tokens()) if passes else ''
                found = [(parts[0], True)] if text == 'return true' else []
        return found

    def refusals(self, s, name, f):
        for call, parents in self.calls(s, f, []):
            for condition, passes in self.guards(s, call, parents):
                self.conditions(s, name, f, condition, passes)

    # ---- conditions

    @staticmethod
    def operator(s, node):
        left, right = node.get_children()
        between = s.bytes[left.extent.end.offset:right.extent.start.offset].decode()
        found = re.search(r'\|\||&&|[-+*/%<>=!&|^]=?', re.sub(r'/\*.*?\*/|\)|\(', '', between, flags=re.S))
        return found[0] if found else ''

    def conditions(self, s, name, f, node, passes):
        children = list(node.get_children())
        if node.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR) and len(children) == 1:
            return self.conditions(s, name, f, children[0], passes)
        if node.kind == K.UNARY_OPERATOR and s.of(node).startswith('!'):
            return self.conditions(s, name, f, children[0], not passes)
        if node.kind == K.BINARY_OPERATOR and self.operator(s, node) == ('&&' if passes else '||'):
            for c in children:
                self.conditions(s, name, f, c, passes)
            return None
        # `a || (b && c)`: without b it refuses less, and without the whole less than that.
        parts = [c for c in children if self.has_parts(s, c, passes)] if node.kind == K.BINARY_OPERATOR and self.operator(s, node) in ('&&', '||') else []
        for c in parts:
            self.conditions(s, name, f, c, passes)
        if parts:
            return None
        if node.kind == K.DECL_REF_EXPR and self.variable(s, name, f, node, passes):
            return None
        if node.kind == K.CALL_EXPR and self.function(s, node.spelling, passes):
            return None
        e = node.extent
        self.sites[(s.path, e.start.offset, e.end.offset)] = (name, passes)
        return None

    def has_parts(self, s, node, passes):
        children = list(node.get_children())
        if node.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR) and len(children) == 1:
            return self.has_parts(s, children[0], passes)
        if node.kind == K.UNARY_OPERATOR and s.of(node).startswith('!'):
            return self.has_parts(s, children[0], not passes)
        return node.kind == K.BINARY_OPERATOR and self.operator(s, node) == ('&&' if passes else '||')

    def variable(self, s, name, f, node, passes):
        """The conditions that make a variable of the function."""
        d = node.referenced
        if d is None or d.kind != K.VAR_DECL or d.type.spelling not in BOOL:
            return False
        key = (s.path, d.extent.start.offset, passes)
        if key in self.done:
            return True
        self.done.add(key)
        values = [c for c in d.get_children() if c.kind.is_expression()]
        self.assigned(s, f, d, values)
        values = [v for v in values if s.of(v) not in ('true', 'false')]
        for v in values:
            self.conditions(s, name, f, v, passes)
        return bool(values)

    def assigned(self, s, node, d, out):
        if node.kind == K.BINARY_OPERATOR and self.operator(s, node) == '=':
            left, right = node.get_children()
            if left.kind == K.DECL_REF_EXPR and left.referenced == d:
                out.append(right)
        for c in node.get_children():
            self.assigned(s, c, d, out)

    def function(self, s, name, passes):
        """The conditions that make the result of a function of these files, if it refuses nothing itself."""
        owner = s if name in s.functions else next((o for o in self.sources if name in o.functions), None)
        f = owner.functions[name] if owner else None
        if f is None or self.refuses(s, name) or f.result_type.spelling not in BOOL:
            return False
        if any(True for _ in self.calls(owner, f, [])):
            return True  # its own refusals are found where they are
        if (name, passes) in self.done:
            return True
        self.done.add((name, passes))
        before = len(self.sites)
        for node, parents in self.returns(f, []):
            value = list(node.get_children())[0]
            text = owner.of(value)
            if text not in ('true', 'false'):
                self.conditions(owner, name, f, value, passes)
            elif (text == 'true') != passes:
                for condition, wanted in self.guards(owner, node, parents):
                    self.conditions(owner, name, f, condition, wanted)
        return len(self.sites) > before

    def returns(self, node, parents):
        if node.kind == K.RETURN_STMT:
            yield node, parents
        for c in node.get_children():
            yield from self.returns(c, parents + [node])


def instrumented(finder, folder):
    """Writes the sources with switches. Gives the checks by number: (path, line, function, condition)."""
    checks = []
    for s in finder.sources:
        cuts = sorted((a, b, name, passes) for (path, a, b), (name, passes) in finder.sites.items() if path == s.path)
        out, at = b'', 0
        for a, b, name, passes in cuts:
            if a < at:
                continue  # inside of one that is a switch already
            text = s.bytes[a:b]
            out += s.bytes[at:a] + b'tik_check(%d, %d, (%s) != 0)' % (len(checks), passes, text)
            at = b
            line = s.bytes[:a].count(b'\n') + 1
            checks.append((s.path, line, name, re.sub(r'\s+', ' ', text.decode()), passes))
        path = os.path.join(folder, os.path.basename(s.path))
        with open(path, 'wb') as f:
            f.write(SWITCH.encode() + b'#line 1 "%s"\n' % s.path.encode() + out + s.bytes[at:])
    with open(os.path.join(folder, 'setting.c'), 'w', encoding='utf-8') as f:
        f.write(SETTING)
    return checks


# ---- tests


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))


def verdicts(build, env):
    """What `tikc verify` says of the conformance set: {file: 'accepted' or all of the refusal}, as tests/lit/blob/refusals.test has it."""
    out = {}
    for folder in ('refused', 'inside', 'accepted'):
        names = sorted(f'tests/blobs/{folder}/{n}' for n in os.listdir(os.path.join(ROOT, 'tests/blobs', folder)) if n.endswith('.tkb'))
        p = subprocess.run([f'{build}/tikc', 'verify', '--format', 'json', *names], cwd=ROOT, env=env, capture_output=True, text=True, timeout=TIMEOUT, preexec_fn=bounded)
        for line in p.stdout.splitlines():
            row = json.loads(line)
            if 'accepted' in row:
                out[row.pop('file')] = 'accepted' if row['accepted'] else row
    return out


def suite(*args):
    """A stage of tests/run.py."""
    def run(build, env):
        p = subprocess.run([sys.executable, 'tests/run.py', build, *args], cwd=ROOT, env=env, capture_output=True, timeout=TIMEOUT, preexec_fn=bounded)
        return p.returncode == 0
    return run


def program(name):
    def run(build, env):
        p = subprocess.run([f'{build}/unit/{name}'], cwd=ROOT, env=env, capture_output=True, timeout=TIMEOUT, preexec_fn=bounded)
        return p.returncode == 0
    return run


def conformance():
    """What conformance_blobs.py and refusals.test ask of the library."""
    plain = {}

    def run(build, env):
        if not plain:
            plain.update(verdicts(build, dict(env, TIK_REMOVED='-1')))
        now = verdicts(build, env)
        return all(now.get(name) == verdict for name, verdict in plain.items())
    return run


def program_named(name):
    return name, program(name)


TESTS = [('conformance set', conformance())] + [(n, program(n)) for n in (
    'test_blob', 'test_blob_verify', 'test_blob_repeat', 'test_blob_data', 'test_blob_sound', 'test_blob_stream', 'test_blob_trust', 'test_blob_work', 'test_emu_blob')] + [
        ('lit', suite('--only', 'lit', '--match', 'blob/|sync'))]
# Tables of programs with their verdicts, which are tried first, and what else the suite has of the order of queues.
FIRST = {'sync_': [program_named('test_blob_order'), program_named('test_sync')], 'data_': [program_named('test_blob_bytes')],
         'properties': [program_named('test_blob_bytes')]}
TESTS_SYNC = [
    ('sync_random', suite('--only', 'random', '--match', 'sync_random')), ('sync_auto', suite('--only', 'cross', '--match', 'sync_auto'))]


def noticed(build, number, path):
    env = dict(os.environ, BUILD=build, TIKC=f'{build}/tikc', TIK_REMOVED=str(number))
    first = [test for part, tests in FIRST.items() if part in path for test in tests]
    for name, test in first + TESTS + (TESTS_SYNC if 'sync' in path else []):
        try:
            if not test(build, env):
                return name
        except (subprocess.TimeoutExpired, json.JSONDecodeError):
            return name + ' (does not end)'
    return None


def redundant():
    rows = {}
    with open(os.path.join(ROOT, 'tests/mutants/redundant.txt'), encoding='utf-8') as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                what, reason = line.strip().split(' # ')
                rows[tuple(what.split(' ', 2))] = reason
    return rows


def main():
    words = [a for a in sys.argv[1:] if not a.startswith('--')]
    only = next((a.split('=')[1] for a in sys.argv if a.startswith('--only=')), None)
    if '--refusers' in sys.argv:
        print('\n'.join(sorted(f'{path}: {name}' for path, name in refusers([Source(p) for p in words]) if path)))
        return 0
    build, files = os.path.abspath(words[0]), words[1:]
    os.makedirs(f'{build}/src', exist_ok=True)
    checks = instrumented(Finder(files), f'{build}/src')
    if '--sources' in sys.argv:
        print(f'{len(checks)} checks')
        return 0
    known, counts = redundant(), {'noticed': 0, 'redundant': 0, 'not noticed': 0}
    for i, (path, line, name, text, passes) in enumerate(checks):
        if only and str(i) not in only.split(','):
            continue
        title = f'{i} {path}:{line}: {name}: {text} is {"true" if passes else "false"}'
        if '--list' in sys.argv:
            print(title)
            continue
        by = noticed(build, i, path)
        fate = 'noticed' if by else 'redundant' if (path, name, text) in known else 'not noticed'
        counts[fate] += 1
        if fate == 'not noticed' or '--verbose' in sys.argv:
            print(f'{title}  {by or fate}', flush=True)
    print('%d checks removed: %d noticed, %d redundant, %d not noticed' % (sum(counts.values()), *counts.values()))
    return 1 if counts['not noticed'] else 0


if __name__ == '__main__':
    sys.exit(main())
