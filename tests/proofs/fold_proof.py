#!/usr/bin/python3
"""Proves that folding keeps what a kernel does: the rules of the builder of expressions (compiler/ir/builder.c: constants, neutral
elements, an operand with itself, conversions), which work while a text is read, and the pass fold (compiler/passes/fold.c: registers
that hold one constant, branches and loops on constants).

The proofs are of what tikc does, not of a copy of its rules: a text of kernel IR with each operation, on each integer type, with
registers that may hold anything and with constants where a rule could be wrong, goes through `tikc build --emit ir`, and z3 proves
that what comes out stores the same as what went in, whatever the registers hold. What an operation means is taken from scalar_eval
itself (meaning.py), which is also proved to execute nothing that C leaves undefined.

A prover that accepts everything would pass, so rules that are wrong (WRONG) are put to it too; it must refuse each.

    fold_proof.py       TIKC_PROOFS=N: number of random kernels for the pass fold (30), from the seed TIKC_SEED (1) on

Ends with a line 'N passed, N failed'; exit code 1 if a proof fails."""
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

from ir_terms import SYMBOL, Body, difference
from meaning import BY_NAME, COMPARES, CONVERSIONS, OPS, TYPES, borders, forms, general
from paths import TIKC
from terms import proved
import z3

COUNT = int(os.environ.get('TIKC_PROOFS', '30'))
SEED = int(os.environ.get('TIKC_SEED', '1'))

# type, an expression, and what a wrong rule would make of it
WRONG = [('int32', '($n - $n2)', '($n2 - $n)'), ('int32', '(0 - $n)', '$n'), ('int32', '($n * 0)', '$n'), ('int32', '(1 - $n)', '$n'),
         ('uint8', '($n < $n)', None), ('int16', '($n / $n)', '2'), ('int32', '($n / 2)', '($n >> 1)'), ('int32', '($n % 4)', '($n & 3)'),
         ('uint64', '($n - 1)', '($n + 18446744073709551614)'), ('int8', '($n << 7)', '($n << 6)'), ('int8', '(-(-$n))', '(~$n)'),
         ('int32', 'int32(int8($n))', '$n'), ('int64', 'int64(uint32($n))', 'int64(int32($n))'), ('int32', '($n / $n2)', '0'),
         ('uint8', '(uint8(uint16($n)) + 255)', '($n + 254)')]


def tikc(text, *args):
    with tempfile.NamedTemporaryFile('w', suffix='.ir') as f:
        f.write(text)
        f.flush()
        run = subprocess.run([TIKC, 'build', f.name, '--emit', 'ir', *args], capture_output=True, text=True, timeout=300)
    if run.returncode:
        raise RuntimeError(run.stderr[:2000])
    return run.stdout


# ---- the builder --------------------------------------------------------------------------------------------------------------


class Kernel:
    """A kernel that stores expressions, each at an element of its own; $n_T and $m_T of each type may hold anything."""

    def __init__(self):
        self.lines, self.stores = [], 0
        registers = [name for name, _, _ in TYPES.values() if name != 'bool']
        for name in registers:
            self.lines += ['reg $n_%s: %s' % (name, name), 'reg $m_%s: %s' % (name, name)]
        for name, _, _ in TYPES.values():
            self.lines.append('alloc %%b_%s: %s[1048576] UB' % (name, name))
        for name in registers:
            self.lines += ['$n_%s = load %%b_%s+0:%s' % (name, name, name), '$m_%s = load %%b_%s+8:%s' % (name, name, name)]

    def store(self, t, expr):
        self.stores += 1
        name = TYPES[t][0]
        self.lines.append('store %%b_%s+%d:%s = %s' % (name, 8 * self.stores, name, expr))

    def text(self):
        return 'kernel k soc=Ascend310P3 {\n' + '\n'.join(self.lines) + '\n}\n'


def constants(t):
    return ['%d:%s' % (v % (1 << 64) if t == 'U64' else v, TYPES[t][0]) for v in borders(t)]


def any_of(t):
    """Two values that may be any; there are no registers of bool."""
    return ('bool($n_uint8)', 'bool($m_uint8)') if t == 'BOOL' else tuple('$%s_%s' % (x, TYPES[t][0]) for x in 'nm')


def operand_pairs(t):
    """Pairs of operands: any and any, twice the same, one constant on each side, and two."""
    (n, m), c = any_of(t), constants(t)
    yield from ((n, m), (n, n))
    yield from itertools.chain(((n, x) for x in c), ((x, n) for x in c), itertools.product(c, c))


def sums(t):
    """Operations on operations, with the constants of rules about neutral elements."""
    name = TYPES[t][0]
    n, m = any_of(t)
    inner = ['(%s %s %s)' % (a, s, b) for s in '+-*' for a, b in ((n, m), (n, '1:' + name), ('0:' + name, n), (n, '0:' + name))]
    for x, s, y in itertools.product(inner, ('+', '-', '*', '<', '=='), [n, '0:' + name, '1:' + name] + inner[:4]):
        yield ('BOOL' if s in '<==' else t), '(%s %s %s)' % (x, s, y)


def expressions(t):
    """(type, text) for each operation on the type."""
    name = TYPES[t][0]
    for op, (arity, symbol) in OPS.items():
        if t == 'BOOL' and op not in ('AND', 'OR', 'XOR', 'NOT', *CONVERSIONS):
            continue
        if op in CONVERSIONS:
            for to, (to_name, bits, _) in TYPES.items():
                if op == 'CAST' or (bits == TYPES[t][1] and bits > 1):
                    for x in [any_of(t)[0]] + constants(t):
                        yield to, '%s%s(%s)' % (to_name, '.bits' if op == 'BITS' else '', x)
        elif arity == 1:
            for x in [any_of(t)[0]] + constants(t):
                yield t, '(%s %s)' % (symbol, x)
        else:
            for x, y in operand_pairs(t):
                yield ('BOOL' if op in COMPARES else t), '(%s %s %s)' % (x, symbol, y)
    if t != 'BOOL':
        yield from sums(t)


def check_builder(t):
    k = Kernel()
    for to, text in expressions(t):
        k.store(to, text)
    before, after = k.text(), tikc(k.text(), '--passes', 'none')
    written = lambda text: [s.strip() for s in text.splitlines() if s.strip().startswith('store')]
    folded = sum(a.split(' = ')[1] != re.sub(r':\w+', '', b.split(' = ')[1]) for b, a in zip(written(before), written(after)))
    if folded < k.stores // 4:
        return 'only %d of %d expressions were rewritten' % (folded, k.stores)
    return difference(Body(before), Body(after))


# ---- the pass fold ------------------------------------------------------------------------------------------------------------


class Random:
    """A random kernel with registers that are constant, or not, or not everywhere, in branches and loops."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.types = self.r.sample([t for t in TYPES if t != 'BOOL'], 3)
        self.stores = self.loops = 0
        self.lines, self.regs, self.vars = [], {}, []
        for i in range(9):
            self.regs['$r%d' % i] = self.types[i % 3]
        self.head = ['reg %s: %s' % (r, TYPES[t][0]) for r, t in self.regs.items()]
        self.head += ['alloc %%b_%s: %s[4096] UB' % (TYPES[t][0], TYPES[t][0]) for t in self.types]
        for i, r in enumerate(self.regs):  # the first three may hold anything, the others mostly one constant
            name = TYPES[self.regs[r]][0]
            self.lines.append('%s = load %%b_%s+%d:%s' % (r, name, 8 * i, name) if i < 3 else
                              '%s = %s' % (r, self.constant(self.regs[r])))
        self.body(0, 6)

    def constant(self, t):
        v = self.r.choice(borders(t) + [0, 1, 2])
        return str(v % (1 << 64) if t == 'U64' else v)

    def expr(self, t, depth):
        name = TYPES[t][0]
        if depth == 0 or self.r.random() < 0.2:
            regs = [x for x, of in self.regs.items() if of == t] + [v for v, of in self.vars if of == t]
            return self.r.choice(regs) if self.r.random() < 0.7 else self.constant(t) + ':' + name
        if self.r.random() < 0.2:
            f = self.r.choice(self.types)
            return '%s(%s)' % (name, self.expr(f, depth - 1))
        symbol = self.r.choice(['+', '-', '&', '|', '^', '>>'] * 2 + ['*', '/', '%', '<<'])
        return '(%s %s %s)' % (self.expr(t, depth - 1), symbol, self.expr(t, depth - 1))

    def condition(self):
        t = self.r.choice(self.types)
        c = '(%s %s %s)' % (self.expr(t, 1), self.r.choice(['<', '<=', '>', '>=', '==', '!=']), self.expr(t, 1))
        return c if self.r.random() < 0.7 else '(%s %s %s)' % (c, self.r.choice('&|'), self.condition())

    def body(self, depth, n):
        for _ in range(n):
            kind = self.r.random()
            if kind < 0.25 and depth < 3:
                self.lines.append('if %s {' % self.condition())
                self.body(depth + 1, 2)
                if self.r.random() < 0.5:
                    self.lines.append('} else {')
                    self.body(depth + 1, 2)
                self.lines.append('}')
            elif kind < 0.4 and depth < 3:
                self.loop(depth)
            elif kind < 0.5:
                r = self.r.choice(list(self.regs)[6:])
                self.lines.append('%s = %s' % (r, self.expr(self.regs[r], self.r.choice((0, 2)))))
            else:
                t = self.r.choice(self.types)
                self.stores += 1
                self.lines.append('store %%b_%s+%d:%s = %s' % (TYPES[t][0], 8 * self.stores, TYPES[t][0], self.expr(t, 3)))

    def loop(self, depth):
        t = self.r.choice([t for t in self.types if t != 'U64'] or ['S32'])
        self.loops += 1
        var = '@i%d' % self.loops
        bound = lambda: self.r.choice(('0', '1', '3', self.expr(t, 0)))
        self.lines.append('for %s: %s = %s to %s {' % (var, TYPES[t][0], bound(), bound()))
        self.vars.append((var, t))
        self.body(depth + 1, 2)
        self.vars.pop()
        self.lines.append('}')

    def text(self):
        return 'kernel k soc=Ascend310P3 {\n' + '\n'.join(self.head + self.lines) + '\n}\n'


def check_fold(seed):
    text = Random(seed).text()
    return difference(Body(text), Body(tikc(text, '--passes', 'fold')))


# ---- the prover itself --------------------------------------------------------------------------------------------------------


def check_wrong(t, right, wrong):
    head = 'reg $n: %s\nreg $n2: %s\nalloc %%b: %s[64] UB\n$n = load %%b+0:%s\n$n2 = load %%b+8:%s\n' % (t, t, t, t, t)
    store = head + 'store %%b+16:%s = %%s\n' % t
    if wrong is None:  # a comparison
        store, wrong = head + 'store %b+16:bool = %s\n', '1'
    why = difference(Body(store.replace('%s', right)), Body(store.replace('%s', wrong)))
    return None if why and 'with' in why else 'the wrong rule %s = %s was not refused: %s' % (right, wrong, why)


def check_defined():
    for form in forms():
        why = proved(z3.Not(general(*form)[2]))
        if why:
            return 'scalar_eval of %s executes what C leaves undefined: %s' % (form, why)
    return None


def main():
    tests = [('scalar_eval', check_defined, ())]
    tests += [('builder %s' % TYPES[t][0], check_builder, (t,)) for t in TYPES]
    tests += [('fold seed %d' % s, check_fold, (s,)) for s in range(SEED, SEED + COUNT)]
    tests += [('wrong rule %d' % i, check_wrong, w) for i, w in enumerate(WRONG)]
    failed = 0
    for name, test, args in tests:
        why = test(*args)
        if why:
            failed += 1
            print('%s: %s' % (name, why))
    print('%d passed, %d failed' % (len(tests) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
