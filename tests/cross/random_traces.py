#!/usr/bin/python3
"""Random programs whose trace must be the same under CPython with the recording stub and under tikc, or
that both must refuse. They mix what the language keeps apart: numbers of the program and values of the
kernel of every type, views of views, branches decided at either time, lifetimes of tensors and Scalars.

    random_traces.py [COUNT [FIRST_SEED]]

Prints each program that is traced differently. Ends with a line "N passed, N failed"."""
import contextlib
import difflib
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import programs  # noqa: E402
import record  # noqa: E402
from tik_stub_numbers import SIZE  # noqa: E402
from tik_stub_expr import RunTimeCondition, ScopeEnded  # noqa: E402

COUNT = 100
TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "bfloat16", "float32")
FLOATS = ("float16", "bfloat16", "float32")
# What only a compiler that knows addresses finds.
CHECKS = {"address-align", "tensor-overflow", "range-burst"}
REFUSALS = (NameError, RunTimeCondition, ScopeEnded, TypeError, ValueError, IndexError, ZeroDivisionError, MemoryError,
            SyntaxError)


class Program:
    """Lines of a program, and what is known at the place that is written."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines = ["from tbe import tik", "t = tik.Tik()",
                      'gm = t.Tensor("int32", (4096,), name="gm", scope=tik.scope_gm)',
                      'out = t.Tensor("int32", (64,), name="out", scope=tik.scope_gm)']
        self.depth = 0
        self.scalars = []  # (name, dtype)
        self.loops = []
        self.tensors = []  # (name, dtype, shape)
        self.names = 0
        self.room = 40  # statements still to be written

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def name(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    # -- expressions

    def number(self):
        r = self.r
        if r.random() < 0.02:
            return r.choice(["300", "-300", str(2 ** 40), "-1e30"])
        return r.choice([str(r.randint(0, 9)), str(r.randint(-100, 100)), "True", "2.0", "0.5", "-1.25", "0", "1",
                         "3.0", "-4.0"])

    def value(self, depth=0):
        r = self.r
        kind = r.random()
        if depth > 3 or kind < 0.25:
            return self.number()
        if kind < 0.55 and self.scalars:
            return r.choice(self.scalars)[0]
        if kind < 0.65 and self.loops:
            return r.choice(self.loops)
        if kind < 0.70 and self.scalars:
            return "%s.astype(%r)" % (r.choice(self.scalars)[0], r.choice(TYPES))
        if kind < 0.72:
            signed = [name for name, dtype in self.scalars if not dtype.startswith("u")]
            return "(-%s)" % r.choice(signed + ["7"])
        op = r.choice(["+", "-", "*", "+", "-", "*", "/"])
        if r.random() < 0.2:
            return "(%s %s %s)" % (self.value(depth + 1), r.choice(["//", "%", "/"]), r.choice(["3", "7", "2.0"]))
        if op == "/" and self.scalars:
            return "(%s / %s)" % (self.value(depth + 1), r.choice(self.scalars)[0])
        return "(%s %s %s)" % (self.value(depth + 1), op, self.value(depth + 1))

    def integers(self, depth=0):
        """for operators of bits: integer Scalars and small numbers"""
        whole = [name for name, dtype in self.scalars if dtype not in FLOATS]
        if depth > 2 or self.r.random() < 0.4:
            return self.r.choice(whole + [str(self.r.randint(0, 20))])
        op = self.r.choice(["&", "|", "^", "<<", ">>"])
        by = str(self.r.randint(0, 20)) if op == "<<" else self.integers(depth + 1)
        return "(%s %s %s)" % (self.integers(depth + 1), op, by)

    def condition(self, depth=0):
        r = self.r
        kind = r.random()
        if kind < 0.12:
            return r.choice(["True", "False", "0", "1", "gm.dtype == 'int32'"])
        if kind < 0.2 and self.scalars:
            return r.choice(self.scalars)[0]
        if kind < 0.3 and depth < 2:
            return "tik.%s(%s)" % (r.choice(["all", "any"]), ", ".join(
                self.condition(depth + 1) for _ in range(r.randint(1, 3))))
        if kind < 0.34:
            return "tik.negate(%s)" % self.condition(depth + 1)
        if kind < 0.45 and self.tensors:
            return "%s %s %s" % (self.element(), r.choice(["<", "==", ">="]), self.value(2))
        if kind < 0.5 and self.scalars:
            name = r.choice(self.scalars)[0]
            return "%s %s %s" % (name, r.choice(["<", "==", "!=", ">="]), name)
        return "%s %s %s" % (self.value(1), r.choice(["<", "<=", ">", ">=", "==", "!="]), self.value(1))

    def staged(self):
        """a condition of the program: of numbers, or one that folds"""
        if self.r.random() < 0.03:
            return self.condition()
        name = self.r.choice(self.scalars)[0]
        return self.r.choice(["len(gm.shape) == 1", "%s - %s == 0" % (name, name), "%s * 0 > 1" % name,
                              "tik.any(True, %s > 1)" % name])

    def index(self, length):
        r = self.r
        kind = r.random()
        if kind < 0.5:
            return str(r.randint(0, length - 1))
        if kind < 0.6:
            return str(-r.randint(1, length))
        whole = [n for n, d in self.scalars if d not in FLOATS] + self.loops
        if not whole:
            return "0"
        return r.choice(["%s", "%s + 1", "%s * 2", "%s - %s" % ("%s", r.choice(whole))]) % r.choice(whole)

    def element(self, tensor=None):
        name, _, shape = tensor or self.r.choice(self.tensors)
        if self.r.random() < 0.5:
            size = shape[0] * (shape[1] if len(shape) > 1 else 1)
            text = "%s[%s]" % (name, self.index(size))
        else:
            text = "%s[%s]" % (name, ", ".join(self.index(n) for n in shape))
        return text + ("[%s]" % self.index(4) if self.r.random() < 0.1 else "")

    def view(self):
        """(text, dtype): a chain of views"""
        r = self.r
        name, dtype, shape = r.choice(self.tensors)
        text, shape = name, list(shape)
        for _ in range(r.randint(0, 2)):
            kind = r.random()
            if kind < 0.3:
                a = [r.randint(0, n - 1) for n in shape]
                text += "[%s]" % ", ".join("%d:%d" % (i, r.randint(i + 1, n)) for i, n in zip(a, shape))
                return text, dtype
            if kind < 0.55:
                dtype = r.choice(("int8", "int16", "float16", "int32", "float32", "int64"))
                text += ".reinterpret_cast_to(%r)" % dtype
                return text + ("[%s]" % self.index(8) if r.random() < 0.5 else ""), dtype
            if kind < 0.75:
                total = shape[0] * (shape[1] if len(shape) > 1 else 1)
                rows = r.choice([n for n in (1, 2, 4, 8) if total % n == 0])
                shape = [rows, total // rows]
                text += ".reshape(%s)" % (shape,)
            else:
                text += "[%s]" % ", ".join(self.index(n) for n in shape)
                if r.random() < 0.3:        # the element as another type, and what is after it
                    dtype = r.choice(("int8", "int16", "float16", "int32", "float32", "int64"))
                    text += ".reinterpret_cast_to(%r)[%s]" % (dtype, r.choice([self.index(4), "%d:%d" % (0, 8), "2:"]))
                return text, dtype
        return text, dtype

    def open_slice(self, tensor):
        """a view that states no end: at, after or before that of its dimensions, or of an element"""
        r = self.r
        if r.random() < 0.4:
            return "%s[%d:]" % (self.element(tensor), r.randint(0, 3))
        return "%s[%s]" % (tensor[0], ", ".join("%d:" % r.randint(0, n + 2) for n in tensor[2]))

    # -- statements

    def scalar(self):
        name, dtype = self.name("s"), self.r.choice(TYPES)
        init = self.r.choice(["", ", init_value=%s" % self.value(1)])
        self.put("%s = t.Scalar(%r, %r%s)" % (name, dtype, name, init))
        self.scalars.append((name, dtype))

    def tensor(self):
        name, dtype = self.name("u"), self.r.choice(("int32", "float16", "float32", "int16"))
        shape = self.r.choice([(64,), (8, 16), (4, 32), (128,)])
        self.put("%s = t.Tensor(%r, %s, name=%r, scope=tik.scope_ubuf)" % (name, dtype, shape, name))
        self.tensors.append((name, dtype, shape))

    def assign(self):
        kind = self.r.random()
        if kind < 0.2 and any(d not in FLOATS for _, d in self.scalars):
            whole = [n for n, d in self.scalars if d not in FLOATS]
            self.put("%s.set_as(%s)" % (self.r.choice(whole), self.integers()))
        elif kind < 0.6 and self.scalars:
            name, dtype = self.r.choice(self.scalars)
            source = self.bits_for(dtype) if self.tensors and self.r.random() < 0.4 else self.value()
            self.put("%s.set_as(%s)" % (name, source))
        elif self.tensors:
            to = self.r.choice(self.tensors)
            source = self.bits_for(to[1]) if self.r.random() < 0.4 else self.value()
            target = self.element(to)
            if self.r.random() < 0.1:
                self.put("%s.set_as(%s)" % (self.open_slice(to), source))
            else:
                self.put("%s = %s" % (target, source))

    def bits_for(self, dtype):
        """an element, or several, whose bits a value of the type takes; rarely one that is refused"""
        fit = [t for t in self.tensors if t[1] == dtype or SIZE[t[1]] == SIZE[dtype] or
               (t[1] not in FLOATS and dtype not in FLOATS)]
        if not fit and self.r.random() < 0.9:
            return self.value()
        tensor = self.r.choice(fit if self.r.random() < 0.98 and fit else self.tensors)
        kind = self.r.random()
        if kind > 0.93:
            return self.open_slice(tensor)
        return tensor[0] if kind < 0.05 else "%s[%s]" % (tensor[0], ", ".join(
            "1:%d" % n for n in tensor[2])) if kind < 0.1 else self.element(tensor)

    def instruction(self):
        if not self.tensors:
            return
        if self.r.random() < 0.7:
            view = self.view()[0]
            self.put("t.data_move(%s, %s, 0, 1, 1, 0, 0)" % (view, view))
        else:
            name = self.r.choice(self.tensors)[0]
            self.put("t.vec_dup(8, %s, %d, %s, 8)" % (name, self.r.randint(0, 9), self.r.choice(["1", "2", "True"])))

    def block(self, head, loop=None):
        kept = self.scalars[:], self.tensors[:], self.loops[:]
        self.put(head)
        self.depth += 1
        if loop:
            self.loops.append(loop)
        for _ in range(self.r.randint(1, 4)):
            self.statement()
        self.put("pass")
        self.depth -= 1
        if self.r.random() < 0.95:  # else: what the block created is used after it
            self.scalars, self.tensors, self.loops = kept

    def loop(self):
        name = self.name("i")
        bounds = self.r.choice(["0, 4", "0, 1", "2, 2", "0, 3, thread_num=2", '0, 4, dtype="int64"', "1, 3.7"])
        if self.scalars and self.r.random() < 0.2:
            bounds = "0, %s" % self.r.choice(self.scalars)[0]
        self.block("with t.for_range(%s, name=%r) as %s:" % (bounds, name, name), name)

    def branches(self):
        self.block("with t.if_scope(%s):" % self.condition())
        for _ in range(self.r.choice((0, 0, 1, 2))):
            self.block("with t.elif_scope(%s):" % self.condition())
        if self.r.random() < 0.5:
            self.block("with t.else_scope():")

    def statement(self):
        self.room -= 1
        choices = [self.scalar, self.assign, self.assign, self.assign, self.instruction, self.tensor]
        if self.depth < 4 and self.room > 0:
            choices += [self.loop, self.branches, self.branches,
                        lambda: self.block("with t.new_stmt_scope():"),
                        lambda: self.block("if %s:" % self.staged())]
        if self.loops and self.r.random() < 0.03:
            choices += [lambda: self.put("t.tik_break()"), lambda: self.put("t.tik_continue()")] * 4
        self.r.choice(choices)()

    def text(self):
        self.scalar()
        self.tensor()
        while self.room > 0:
            self.statement()
        self.lines.append('t.BuildCCE("k", [gm], [out])')
        return "\n".join(self.lines) + "\n"


def of_python(path):
    """(trace, "") or ("", why it is refused)"""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return record.record(path), ""
    except REFUSALS as error:
        return "", "%s: %s" % (type(error).__name__, error)


def compare(tikc, path):
    """Lines that tell the difference."""
    want, refused = of_python(path)
    run = subprocess.run([tikc, "build", path, "--emit", "trace", "-o", "-"], capture_output=True, text=True)
    if refused or run.returncode:
        found = set(re.findall(r": error: .*\[([a-z-]+)\]$", run.stderr, re.M))
        if run.returncode == 1 and (refused or found <= CHECKS):
            return []
        return ["CPython: %s" % (refused or "accepted"), "tikc: %s" % sorted(found), "tikc: exit code %d" % run.returncode, run.stderr]
    return list(difflib.unified_diff(want.splitlines(), run.stdout.splitlines(), "python", "tikc",
                                     lineterm="", n=1))


def main():
    tikc = os.environ.get("TIKC", os.path.join(programs.ROOT, "build", "tikc"))
    count, first = [int(a) for a in (sys.argv[1:] + [COUNT, 0][len(sys.argv) - 1:])]
    bad = both = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.tik")
        for seed in range(first, first + count):
            with open(path, "w") as f:
                f.write(Program(seed).text())
            difference = compare(tikc, path)
            both += not difference and bool(of_python(path)[0])
            if difference:
                bad += 1
                print("seed %d:" % seed)
                print("\n".join(difference[:12]))
    print("%d programs have the same trace, %d are refused by both or for their addresses" % (both, count - bad - both))
    print("%d passed, %d failed" % (count - bad, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
