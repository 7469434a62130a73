#!/usr/bin/python3
"""Checks that the programs of the trace tests use every construct of the language that kernels use.

    construct_coverage.py [KEY...]     with keys: the files whose text has them

constructs.tsv lists the constructs: name, place in the language, and for those that no program can use yet
the reason. The programs run under CPython with the recording stub; a construct of the text counts when its
statement ran, others (kinds of operands, methods of built-in types, forms of views, folding) when the stub
met them. Each row is a test: one without a reason must be covered, one with a reason must not.
Ends with a line "N passed, N failed"."""
import ast
import contextlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import programs  # noqa: E402
import record  # noqa: E402
import syntax_keys  # noqa: E402
import tik  # noqa: E402
import tik_stub_modules as modules  # noqa: E402
from tik_stub_expr import Value  # noqa: E402
from tik_stub_notes import note, seen  # noqa: E402

BUILT_IN = (str, list, dict, set, tuple)


# ---- what is only known while a program runs ---------------------------------------------------------------

def kind(x):
    if isinstance(x, Value):
        return "Expr"
    return type(x).__name__


def pair(op, left, right):
    note("pair.%s.%s.%s" % (op, kind(left), kind(right)))


def method(receiver, name):
    if type(receiver) in BUILT_IN:
        note("method.%s.%s" % (type(receiver).__name__, name))
    return getattr(receiver, name)


def hook(name, args, node):
    call = ast.Call(ast.Name(name, ast.Load()), args, [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


class Recorder(ast.NodeTransformer):
    """Makes a program tell the operands of its operators and the receivers of its methods."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        op = ast.Constant(syntax_keys.OPERATORS[type(node.op)])
        return hook("__binary__", [op, node.left, node.right], node)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        op = ast.Constant(syntax_keys.OPERATORS[type(node.op)])
        before = ast.parse(ast.unparse(node.target), mode="eval").body
        node.value = hook("__augment__", [op, before, node.value], node)
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        func = node.func
        if isinstance(func, ast.Attribute) and not func.attr.startswith("__"):
            node.func = hook("__method__", [func.value, ast.Constant(func.attr)], func)
        return node


APPLY = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
         "/": lambda a, b: a / b, "//": lambda a, b: a // b, "%": lambda a, b: a % b,
         "**": lambda a, b: a ** b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
         "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b}


def binary(op, left, right):
    pair(op, left, right)
    return APPLY[op](left, right)


def augment(op, left, right):
    pair(op, left, right)
    return right


def install():
    """The hooks are names that every module sees."""
    import builtins
    builtins.__binary__, builtins.__augment__, builtins.__method__ = binary, augment, method
    modules.transform = Recorder().visit


# ---- all programs ------------------------------------------------------------------------------------------------

class Lines:
    """The lines of each loaded file that ran."""

    def __init__(self):
        self.ran = {}

    def trace(self, frame, event, arg):
        if event == "call" and frame.f_code.co_filename not in modules.loaded:
            return None
        if event == "line":
            self.ran.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)
        return self.trace


def run_all():
    """{file: keys of its text that ran}; what the stub met is in seen."""
    install()
    lines = Lines()
    for program in programs.samples() + programs.kernels():
        sys.settrace(lines.trace)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                record.record(*program)
        finally:
            sys.settrace(None)
    return {path: syntax_keys.of_text(open(path, encoding="utf-8").read(), ran)
            for path, ran in lines.ran.items()}


def table():
    """[(key, place, reason)]"""
    rows = []
    for line in open(os.path.join(HERE, "constructs.tsv"), encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            rows.append((line.rstrip("\n").split("\t") + ["", ""])[:3])
    return rows


def main():
    text = run_all()
    covered = set().union(*text.values()) | seen
    for key in sys.argv[1:]:
        print(key, "seen" if key in seen else "", *[os.path.basename(f) for f in text if key in text[f]])
    rows = table()
    bad = 0
    names = [row[0] for row in rows]
    for key, place, reason in rows:
        wrong = "no program covers it" if key not in covered and not reason else \
            "covered, but excluded: " + reason if key in covered and reason else \
            "listed twice" if names.count(key) > 1 else ""
        if wrong:
            bad += 1
            print("%s (%s): %s" % (key, place, wrong))
    print("%d programs, %d constructs, %d of them excluded" % (
        len(programs.samples() + programs.kernels()), len(rows), len([r for r in rows if r[2]])))
    print("%d passed, %d failed" % (len(rows) - bad, bad))
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
