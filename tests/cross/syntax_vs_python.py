#!/usr/bin/python3
"""Compares the front end with CPython's on snippets of program text.
usage: syntax_vs_python.py [FILE...]
BUILD names the build directory; without files, those of tests/lit/syntax/inputs are taken.

A file holds snippets between lines of '# ---'. For each one: both accept it or both refuse it; if both
accept it, the text that our tree prints as has the tree that CPython makes of the snippet, printing is
stable, and the nodes stand where CPython says. What CPython refuses only when it compiles may be refused
by us or not: later steps check it. A snippet whose marker says '# --- ours' is one that we refuse on
purpose although CPython takes it."""
import ast
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa

warnings.simplefilter('ignore')
PLACED = ('Name Constant Tuple List Dict Set Starred UnaryOp BinOp Compare IfExp Lambda Call Attribute '
          'Subscript Await NamedExpr Expr Assign AugAssign Return For With While Pass').split()


class Normal(ast.NodeTransformer):
    """Removes what the two trees may differ in without meaning anything else."""

    def visit_Constant(self, node):
        return ast.Constant(node.value)

    def visit_JoinedStr(self, node):
        self.generic_visit(node)
        if all(isinstance(v, ast.Constant) for v in node.values):
            return ast.Constant(''.join(v.value for v in node.values))
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        first = node.values[0]
        if isinstance(first, ast.BoolOp) and type(first.op) is type(node.op):
            node.values = first.values + node.values[1:]
        return node


def tree_of(text):
    return ast.dump(Normal().visit(ast.parse(text)))


def verdict(text):
    """'good', 'bad', or 'late': refused only by the compiler after the parser."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return 'bad'
    try:
        compile(text, '<snippet>', 'exec')
    except (SyntaxError, ValueError):
        return 'late'
    return 'good'


def byte_places(text):
    starts = [0]
    for line in text.encode().split(b'\n'):
        starts.append(starts[-1] + len(line) + 1)
    out = []
    tree = ast.parse(text)
    hidden = {id(n.target) for n in ast.walk(tree) if isinstance(n, ast.NamedExpr)}
    for node in ast.walk(tree):
        name = type(node).__name__.replace('Async', '')
        if name in PLACED and id(node) not in hidden:
            out.append((name, starts[node.lineno - 1] + node.col_offset,
                        starts[node.end_lineno - 1] + node.end_col_offset))
    return sorted(out)


def read(path):
    with open(path, encoding='utf-8', newline='') as f:
        return f.read()


class Checker:
    """Snippets by name; the tool runs once over all of them and once over what it printed."""

    def __init__(self, tool):
        self.tool = tool
        self.folder = tempfile.mkdtemp()
        self.snippets = []  # (path, text, refused on purpose)
        self.bad = set()

    def add(self, text, on_purpose):
        path = os.path.join(self.folder, f'{len(self.snippets)}.tik')
        with open(path, 'w', encoding='utf-8', newline='') as f:
            f.write(text)
        self.snippets.append((path, text, on_purpose))

    def run_tool(self, paths):
        if paths:
            subprocess.run([self.tool, '--all', *paths], check=True, timeout=600)

    def report(self, text, what):
        self.bad.add(text)
        print(f'---- {what}\n{text}')

    def check_tree(self, path, text):
        printed = read(path + '.print')
        try:
            same = tree_of(text) == tree_of(printed)
        except SyntaxError as e:
            self.report(text, f'the printed text is no Python: {e}\n{printed}')
            return
        if not same:
            self.report(text, 'the trees differ; printed:\n' + printed)
        twice = path + '.print.print'
        if not os.path.exists(twice) or read(twice) != printed:
            self.report(text, 'printing is not stable; printed:\n' + printed)

    def check_places(self, path, text):
        if re.search(r'\b[rR]?[fF][rR]?["\']', text) or '\r' in text or '\f' in text:
            return
        ours = sorted((k, int(b), int(e)) for k, b, e in
                      (l.split() for l in read(path + '.spans').splitlines()))
        theirs = byte_places(text)
        if ours != theirs:
            self.report(text, f'places differ: only ours {sorted(set(ours) - set(theirs))}, '
                              f'only theirs {sorted(set(theirs) - set(ours))}')

    def check(self, path, text, on_purpose):
        theirs = verdict(text)
        accepted = os.path.exists(path + '.print')
        if on_purpose:
            if accepted or theirs == 'bad':
                self.report(text, f'should be refused by us only; we {accepted}, CPython {theirs}')
        elif accepted and theirs == 'bad':
            self.report(text, 'CPython refuses it, we do not')
        elif not accepted and theirs == 'good':
            self.report(text, 'we refuse it, CPython does not:\n' + read(path + '.errors'))
        elif accepted:
            self.check_tree(path, text)
            self.check_places(path, text)

    def check_all(self):
        self.run_tool([path for path, _, _ in self.snippets])
        printed = [path + '.print' for path, _, _ in self.snippets]
        self.run_tool([path for path in printed if os.path.exists(path)])
        for snippet in self.snippets:
            self.check(*snippet)
        shutil.rmtree(self.folder)


def main():
    checker = Checker(os.path.join(os.environ.get('BUILD', os.path.join(ROOT, 'build')), 'tools/astprint'))
    for path in sys.argv[1:] or sorted(glob.glob(os.path.join(ROOT, 'tests/lit/syntax/inputs/*.txt'))):
        parts = re.split(r'^# ---(.*)\n', read(path), flags=re.M)
        for note, text in zip(parts[1::2], parts[2::2]):
            checker.add(text, 'ours' in note)
    checker.check_all()
    print(f'{len(checker.snippets) - len(checker.bad)} passed, {len(checker.bad)} failed')
    return 1 if checker.bad or not checker.snippets else 0


if __name__ == '__main__':
    sys.exit(main())
