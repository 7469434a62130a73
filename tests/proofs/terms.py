"""C functions as z3 terms. A file of C is compiled by clang to LLVM IR, with the functions that it calls in it, and a function
without loops is executed on bit-vectors of the widths that it has: blocks in topological order, each with the condition under
which it is reached. So a proof is about the code as it is compiled, not about a copy of its rules.

With the sanitizer's traps in the code (TRAPS), what C leaves undefined is a condition too: Result.trap, to be proved impossible.
Calls of functions that have no body in the file are answered by the table `contracts` (name -> function of terms)."""
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD, ROOT  # noqa
import z3

CLANG = os.environ.get('CLANG', 'clang-19')
TRAPS = ['-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero', '-fsanitize-trap=all']
FLAGS = ['-std=c11', '-O2', '-S', '-emit-llvm', '-fno-vectorize', '-fno-slp-vectorize', '-mllvm', '-inline-threshold=100000', '-w',
         '-I' + os.path.join(ROOT, 'runtime'), '-I' + os.path.join(ROOT, 'compiler'), '-o', '-']


class Unsupported(Exception):
    """The code has something that this reader does not know; a proof that meets it fails."""


class Result:
    """What a call gives: its value, and the condition under which it executes what C leaves undefined."""

    def __init__(self, value, trap):
        self.value, self.trap = value, trap


def width(t):
    if not re.fullmatch(r'i\d+', t):
        raise Unsupported('type ' + t)
    return int(t[1:])


def bits(value, n):
    """A constant of iN; i1 is a truth value."""
    return z3.BoolVal(bool(value)) if n == 1 else z3.BitVecVal(value, n)


def as_bits(v):
    return z3.If(v, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)) if z3.is_bool(v) else v


def as_value(v, n):
    return v == z3.BitVecVal(1, 1) if n == 1 and not z3.is_bool(v) else v


BINARY = {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'mul': lambda a, b: a * b, 'sdiv': lambda a, b: a / b,
          'udiv': z3.UDiv, 'srem': z3.SRem, 'urem': z3.URem, 'shl': lambda a, b: a << b, 'lshr': z3.LShR,
          'ashr': lambda a, b: a >> b, 'and': lambda a, b: a & b, 'or': lambda a, b: a | b, 'xor': lambda a, b: a ^ b}
LOGIC = {'and': z3.And, 'or': z3.Or, 'xor': z3.Xor}
COMPARE = {'eq': lambda a, b: a == b, 'ne': lambda a, b: a != b, 'slt': lambda a, b: a < b, 'sle': lambda a, b: a <= b,
           'sgt': lambda a, b: a > b, 'sge': lambda a, b: a >= b, 'ult': z3.ULT, 'ule': z3.ULE, 'ugt': z3.UGT, 'uge': z3.UGE}


def overflow(op, a, b):
    """The pair (low bits, whether the number in the integers is another one)."""
    n = a.size()
    extra = n if op == 'mul' else 1
    wide = BINARY[op](z3.SignExt(extra, a), z3.SignExt(extra, b))
    low = z3.Extract(n - 1, 0, wide)
    return low, wide != z3.SignExt(extra, low)


def leading_zeros(v):
    n = v.size()
    r = z3.BitVecVal(n, n)
    for i in range(n):
        r = z3.If(z3.Extract(i, i, v) == 1, z3.BitVecVal(n - 1 - i, n), r)
    return r


INTRINSICS = {'smax': lambda a, b: z3.If(a > b, a, b), 'smin': lambda a, b: z3.If(a < b, a, b),
              'umax': lambda a, b: z3.If(z3.UGT(a, b), a, b), 'umin': lambda a, b: z3.If(z3.ULT(a, b), a, b),
              'abs': lambda a, _: z3.If(a < 0, -a, a), 'ctlz': lambda a, _: leading_zeros(a),
              'usub.sat': lambda a, b: z3.If(z3.UGT(a, b), a - b, bits(0, a.size())),
              'sadd.with.overflow': lambda a, b: overflow('add', a, b),
              'ssub.with.overflow': lambda a, b: overflow('sub', a, b),
              'smul.with.overflow': lambda a, b: overflow('mul', a, b)}

NAME = r'%[\w.$-]+'
FLAGS_OF_OPS = r'(?:(?:nsw|nuw|exact|disjoint|nneg|samesign|noundef|tail|range\([^)]*\)) )*'


def split(text):
    """A list of operands, without the attributes of each."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text + ','):
        depth += c in '([{'
        depth -= c in ')]}'
        if c == ',' and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    return [p for p in parts if p]


class Function:
    """One function: its parameters, and its blocks as lists of lines."""

    def __init__(self, name, params, lines):
        self.name = name
        self.params = [(width(p.split()[0]), p.split()[-1]) for p in split(params)]
        self.blocks, self.order = {}, []
        block = 'entry'
        for line in lines:
            line = re.sub(r', ![\w.]+ !\d+', '', line.split(' ; ')[0]).rstrip()
            label = re.match(r'([\w.$-]+):', line)
            if label:
                block = label[1]
            elif line.strip():
                self.blocks.setdefault(block, []).append(line.strip())

    def targets(self, block):
        last = ' '.join(self.blocks[block][self.terminator(block):])
        return re.findall(r'label %([\w.$-]+)', last)

    def terminator(self, block):
        lines = self.blocks[block]
        return next(i for i, s in enumerate(lines) if re.match(r'(br|ret|switch|unreachable)\b', s))

    def topological(self):
        """The blocks, each after all that lead to it."""
        done, active, order = set(), set(), []

        def visit(b):
            if b in active:
                raise Unsupported('a loop in ' + self.name)
            if b not in done:
                active.add(b)
                for t in self.targets(b):
                    visit(t)
                active.remove(b)
                done.add(b)
                order.append(b)
        visit(next(iter(self.blocks)))
        return order[::-1]


class Module:
    def __init__(self, text, contracts=None):
        self.contracts = contracts or {}
        self.functions = {}
        for m in re.finditer(r'^define [^@\n]*@([\w.]+)\((.*?)\)[^\n]*\{\n(.*?)^\}', text, re.M | re.S):
            self.functions[m[1]] = (m[2], m[3].split('\n'))

    def call(self, name, *args):
        params, lines = self.functions[name]
        return Run(self, Function(name, params, lines), args).result()


class Run:
    """One call of a function on terms."""

    def __init__(self, module, f, args):
        self.module, self.f = module, f
        self.values = {name: as_value(a, n) for (n, name), a in zip(f.params, args)}
        self.edges = {}  # (from, to) -> condition
        self.traps, self.returned = [], []

    def result(self):
        for i, block in enumerate(self.f.topological()):
            reached = z3.BoolVal(True) if i == 0 else z3.Or([c for (_, t), c in self.edges.items() if t == block])
            reached = z3.simplify(reached)
            at = self.f.terminator(block)
            for line in self.f.blocks[block][:at]:
                self.line(line, block, reached)
            self.leave(' '.join(self.f.blocks[block][at:]), block, reached)
        value = self.returned[-1][1] if self.returned else None
        for c, v in self.returned[-2::-1]:
            value = z3.If(c, v, value)
        return Result(value, z3.Or(self.traps) if self.traps else z3.BoolVal(False))

    def operand(self, text, n):
        text = text.split()[-1]
        if text.startswith('%'):
            return self.values[text]
        if text in ('true', 'false'):
            return z3.BoolVal(text == 'true')
        if text in ('poison', 'undef'):
            return z3.FreshBool() if n == 1 else z3.FreshConst(z3.BitVecSort(n))
        return bits(int(text), n)

    def leave(self, line, block, reached):
        if line.startswith('ret'):
            t, v = line.split()[1], line.split()[-1]
            if t != 'void':
                self.returned.append((reached, self.operand(v, width(t))))
        elif line.startswith('br label'):
            self.edge(block, re.search(r'label %([\w.$-]+)', line)[1], reached)
        elif line.startswith('br'):
            c = self.operand(split(line[3:])[0], 1)
            yes, no = re.findall(r'label %([\w.$-]+)', line)
            self.edge(block, yes, z3.And(reached, c))
            self.edge(block, no, z3.And(reached, z3.Not(c)))
        elif line.startswith('switch'):
            t, v, other = re.match(r'switch (i\d+) (\S+), label %([\w.$-]+)', line).groups()
            v, rest = self.operand(v, width(t)), reached
            for case, to in re.findall(r'i\d+ (-?\d+), label %([\w.$-]+)', line):
                is_case = v == bits(int(case), width(t))
                self.edge(block, to, z3.And(reached, is_case))
                rest = z3.And(rest, z3.Not(is_case))
            self.edge(block, other, rest)
        elif line != 'unreachable':
            raise Unsupported(line)

    def edge(self, a, b, c):
        self.edges[a, b] = z3.Or(self.edges[a, b], c) if (a, b) in self.edges else c

    def line(self, line, block, reached):
        m = re.match('(%s) = (.*)' % NAME, line)
        if m is None:
            if 'llvm.ubsantrap' in line:
                self.traps.append(reached)
            elif not re.search(r'@llvm\.(assume|lifetime|dbg)', line):
                raise Unsupported(line)
            return
        self.values[m[1]] = self.compute(m[2], block)

    def compute(self, text, block):
        op = text.split()[0]
        if op in BINARY:
            return self.binary(op, re.sub('^%s ' % op + FLAGS_OF_OPS, '', text))
        if op == 'icmp':
            m = re.match(r'icmp (?:samesign )?(\w+) (i\d+) (\S+), (\S+)', text)
            n = width(m[2])
            return COMPARE[m[1]](as_bits(self.operand(m[3], n)), as_bits(self.operand(m[4], n)))
        if op == 'select':
            c, a, b = split(text[7:])
            n = width(a.split()[0])
            return z3.If(self.operand(c, 1), self.operand(a, n), self.operand(b, n))
        if op in ('zext', 'sext', 'trunc'):
            return self.resize(op, text)
        if op == 'phi':
            return self.phi(text, block)
        if op == 'extractvalue':
            m = re.match(r'extractvalue \{.*?\} (%s), (\d)' % NAME, text)
            return self.values[m[1]][int(m[2])]
        if op == 'freeze':
            return self.operand(text, width(text.split()[1]))
        if op in ('call', 'tail'):
            return self.call(text)
        raise Unsupported(text)

    def binary(self, op, text):
        t, rest = text.split(' ', 1)
        a, b = (self.operand(x, width(t)) for x in split(rest))
        return LOGIC[op](a, b) if t == 'i1' else BINARY[op](a, b)

    def resize(self, op, text):
        m = re.match(r'\w+ ' + FLAGS_OF_OPS + r'(i\d+) (\S+) to (i\d+)', text)
        a, n = as_bits(self.operand(m[2], width(m[1]))), width(m[3])
        if op == 'trunc':
            return as_value(z3.Extract(n - 1, 0, a), n)
        return (z3.ZeroExt if op == 'zext' else z3.SignExt)(n - a.size(), a)

    def phi(self, text, block):
        t = text.split()[1]
        pairs = re.findall(r'\[ (\S+), %([\w.$-]+) \]', text)
        pairs = [(v, b) for v, b in pairs if (b, block) in self.edges]
        value = self.operand(pairs[-1][0], width(t))
        for v, b in pairs[-2::-1]:
            value = z3.If(self.edges[b, block], self.operand(v, width(t)), value)
        return value

    def call(self, text):
        m = re.search(r'@([\w.]+)\((.*)\)', text)
        args = [self.operand(a, width(a.split()[0])) for a in split(m[2])]
        known = re.fullmatch(r'llvm\.([\w.]+?)\.i\d+', m[1])
        if known and known[1] in INTRINSICS:
            return INTRINSICS[known[1]](*args)
        if m[1] in self.module.contracts:
            return self.module.contracts[m[1]](*args)
        raise Unsupported('call of ' + m[1])


def compile_c(text, contracts=None, flags=()):
    """The functions of a text of C."""
    p = subprocess.run([CLANG, *FLAGS, *flags, '-I' + os.path.join(BUILD, 'gen'), '-x', 'c', '-'], input=text, capture_output=True,
                       text=True, timeout=300)
    if p.returncode:
        raise RuntimeError(p.stderr[-3000:])
    return Module(p.stdout, contracts)


def proved(claim, *given, seconds=60):
    """None if the claim holds for all values under what is given, else a sentence with a counterexample."""
    s = z3.Solver()
    s.set('timeout', seconds * 1000)
    s.add(*given)
    s.add(z3.Not(claim))
    answer = s.check()
    if answer == z3.unsat:
        return None
    return 'with %s' % s.model() if answer == z3.sat else 'not decided: ' + s.reason_unknown()
