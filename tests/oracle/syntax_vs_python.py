#!/usr/bin/python3
"""Compares the front end with CPython's on snippets of program text.
usage: syntax_vs_python.py ASTPRINT FILE...

A file holds snippets between lines of '# ---'. For each one: both accept it or both refuse it; if both
accept it, the text that our tree prints as has the tree that CPython makes of the snippet, printing is
stable, and the nodes stand where CPython says. What CPython refuses only when it compiles may be refused
by us or not: later steps check it. A snippet whose marker says '# --- ours' is one that we refuse on
purpose although CPython takes it."""
import ast
import os
import re
import subprocess
import sys
import tempfile
import warnings

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
    """'good', 'bad', or 'late': refused only by the compiler behind the parser."""
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


class Checker:
    def __init__(self, tool):
        self.tool = tool
        self.folder = tempfile.mkdtemp()
        self.bad = 0
        self.count = 0

    def run(self, text, *options):
        path = os.path.join(self.folder, 'snippet.tik')
        with open(path, 'w', encoding='utf-8', newline='') as f:
            f.write(text)
        done = subprocess.run([self.tool, *options, path], capture_output=True, text=True, timeout=60)
        if done.returncode not in (0, 1):
            self.report(text, f'exit code {done.returncode}: {done.stderr}')
        return done.returncode == 0, done.stdout

    def report(self, text, what):
        self.bad += 1
        print(f'---- {what}\n{text}')

    def check_tree(self, text, printed):
        try:
            same = tree_of(text) == tree_of(printed)
        except SyntaxError as e:
            self.report(text, f'the printed text is no Python: {e}\n{printed}')
            return
        if not same:
            self.report(text, 'the trees differ; printed:\n' + printed)
        again, twice = self.run(printed)
        if not again or twice != printed:
            self.report(text, 'printing is not stable; printed:\n' + printed + '\nthen:\n' + twice)

    def check_places(self, text):
        if re.search(r'\b[rR]?[fF][rR]?["\']', text) or '\r' in text or '\f' in text:
            return
        ours = sorted((k, int(b), int(e)) for k, b, e in
                      (l.split() for l in self.run(text, '--spans')[1].splitlines()))
        theirs = byte_places(text)
        if ours != theirs:
            self.report(text, f'places differ: only ours {sorted(set(ours) - set(theirs))}, '
                              f'only theirs {sorted(set(theirs) - set(ours))}')

    def check(self, text, on_purpose):
        self.count += 1
        theirs = verdict(text)
        accepted, printed = self.run(text)
        if on_purpose:
            if accepted or theirs == 'bad':
                self.report(text, f'should be refused by us only; we {accepted}, CPython {theirs}')
        elif accepted and theirs == 'bad':
            self.report(text, 'CPython refuses it, we do not')
        elif not accepted and theirs == 'good':
            self.report(text, 'we refuse it, CPython does not:\n' + printed)
        elif accepted:
            self.check_tree(text, printed)
            self.check_places(text)


def main():
    checker = Checker(sys.argv[1])
    for path in sys.argv[2:]:
        with open(path, encoding='utf-8', newline='') as f:
            parts = re.split(r'^# ---(.*)\n', f.read(), flags=re.M)
        for note, text in zip(parts[1::2], parts[2::2]):
            checker.check(text, 'ours' in note)
    print(f'{checker.count} snippets, {checker.bad} disagreements')
    return 1 if checker.bad or not checker.count else 0


if __name__ == '__main__':
    sys.exit(main())
