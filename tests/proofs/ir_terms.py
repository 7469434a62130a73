"""The text of kernel IR (docs/ir.md) as z3 terms: integer expressions, and what the statements of a body do.

A body is executed once from top to bottom. The effects of a kernel are its stores and the operands of its instructions, each with
the condition under which it executes and its values. Of a loop one iteration is executed, any: its variable has a name of its own,
and registers that the body assigns begin it with values of which nothing is known, the same in each text that has this loop."""
import re

from meaning import BY_NAME, CONVERSIONS, COMPARES, OPS, TYPES, free, meaning, wrap
from terms import proved
import z3

SYMBOL = {symbol: op for op, (arity, symbol) in OPS.items() if arity == 2}
SYMBOLS = sorted(SYMBOL, key=len, reverse=True)
TOKEN = re.compile(r'\s*([$@][\w.]+|\w+(?:\.bits)?\(|-?(?:0x[0-9a-f]+|\d+)(?::\w+)?|[()~]|sqrt\b|%s|-)' %
                   '|'.join(re.escape(s) for s in SYMBOLS))


class Term:
    """A value with its type (an id of dtype.def) and the condition under which it is defined."""

    def __init__(self, t, value, defined):
        self.t, self.value, self.defined = t, value, defined


def constant(t, v):
    return Term(t, z3.BitVecVal(wrap(t, v), 64), z3.BoolVal(True))


def all_of(conditions):
    rest = [c for c in conditions if not z3.is_true(c)]
    return z3.And(rest) if len(rest) > 1 else rest[0] if rest else z3.BoolVal(True)


def apply(op, t, a, b=None):
    """An operation on terms; t: the type of the operands, of a conversion that of the result."""
    value, defined = meaning(op, t, a.t, a.value, b.value if b else None)
    return Term('BOOL' if op in COMPARES else t, value, all_of([defined, a.defined] + ([b.defined] if b else [])))


class Reader:
    """Reads one expression; names: what `$r` and `@v` are."""

    def __init__(self, text, names):
        self.text, self.at, self.names = text, 0, names

    def fail(self):
        raise ValueError('no expression at %r of %r' % (self.text[self.at:], self.text))

    def peek(self):
        m = TOKEN.match(self.text, self.at)
        return m[1] if m else ''

    def take(self, want=None):
        m = TOKEN.match(self.text, self.at)
        if m is None or (want is not None and m[1] != want):
            self.fail()
        self.at = m.end()
        return m[1]

    def expr(self, expected):
        token = self.take()
        if token[0] in '$@':
            return self.names[token]
        if token == '(':
            return self.bracket(expected)
        if token.endswith('('):
            t = BY_NAME[token[:-1].replace('.bits', '')]
            a = self.expr(None)
            self.take(')')
            return apply(CONVERSIONS['.bits' in token], t, a)
        if re.match(r'-?\d', token):
            number, _, t = token.partition(':')
            return constant(BY_NAME[t] if t else expected, int(number, 0))
        return self.fail()

    def bracket(self, expected):
        unary = {'-': 'NEG', '~': 'NOT', 'sqrt': 'SQRT'}.get(self.peek())
        if unary:
            self.take()
            a = self.expr(expected)
            self.take(')')
            return apply(unary, a.t, a)
        a = self.expr(expected)
        rest = self.text[self.at:].lstrip()
        symbol = next((s for s in SYMBOLS if rest.startswith(s)), None) or self.fail()
        self.at = len(self.text) - len(rest) + len(symbol)
        b = self.expr(a.t)
        self.take(')')
        return apply(SYMBOL[symbol], a.t, a, b)


def read(text, names, expected=None):
    """(term, what follows it)"""
    r = Reader(text, names)
    return r.expr(expected), r.text[r.at:]


def wide(term):
    """The number itself, in 66 bits."""
    return (z3.ZeroExt if term.t == 'U64' else z3.SignExt)(2, term.value)


def possible(condition):
    c = z3.simplify(condition)
    return not z3.is_false(c) and (z3.is_true(c) or proved(z3.Not(c)) is not None)


class Effect:
    """What one statement does to the world, if `when` holds: a key that is the same in each text, and values."""

    def __init__(self, key, when, values):
        self.key, self.when, self.values = key, when, values


class Body:
    """Executes the lines of a kernel."""

    def __init__(self, text):
        self.lines = [s.strip() for s in text.splitlines()]
        self.types, self.names = {}, {}
        self.effects = []
        self.assigned = []  # (register, condition) of assignments so far
        self.run(0, z3.BoolVal(True))

    def run(self, at, when):
        """Executes lines until the brace that closes the block; returns the line after it."""
        while at < len(self.lines):
            line = self.lines[at]
            at += 1
            if line.startswith('}'):
                return at
            at = self.statement(line, at, when)
        return at

    def statement(self, line, at, when):
        m = re.match(r'reg (\$[\w.]+): (\w+)', line)
        if m:
            self.types[m[1]] = BY_NAME[m[2]]
            self.names[m[1]] = Term(BY_NAME[m[2]], free('unset ' + m[1], BY_NAME[m[2]]), z3.BoolVal(True))
            return at
        m = re.match(r'(\$[\w.]+) = load (\S+)', line)
        if m:
            self.assign(m[1], Term(self.types[m[1]], free('at ' + m[2], self.types[m[1]]), z3.BoolVal(True)), when)
            return at
        m = re.match(r'(\$[\w.]+) = (.*)', line)
        if m:
            value, _ = read(m[2], self.names, self.types[m[1]])
            self.assign(m[1], value, when)
            return at
        m = re.match(r'store (\S+):(\w+) = (.*)', line)
        if m:
            self.effects.append(Effect(m[1], when, [read(m[3], self.names, BY_NAME[m[2]])[0]]))
            return at
        if line.startswith('if '):
            return self.branch(line, at, when)
        if line.startswith('scope '):
            return self.run(at, when)
        if line.startswith('for '):
            return self.loop(line, at, when)
        return self.other(line, at, when)

    def other(self, line, at, when):
        if re.match(r'(kernel|in|out|alloc|peak)\b', line) or not line:
            return at
        raise ValueError('statement ' + line)

    def assign(self, reg, value, when):
        old = self.names[reg]
        self.assigned.append((reg, when))
        if z3.is_true(z3.simplify(when)):
            self.names[reg] = value
        else:
            self.names[reg] = Term(old.t, z3.If(when, value.value, old.value), z3.If(when, value.defined, old.defined))

    def branch(self, line, at, when):
        cond, _ = read(line[3:], self.names, 'BOOL')
        yes = cond.value != 0
        at = self.run(at, z3.And(when, yes))
        if self.lines[at - 1].startswith('} else'):
            at = self.run(at, z3.And(when, z3.Not(yes)))
        return at

    def loop(self, line, at, when):
        var, t, rest = re.match(r'for (@[\w.]+): (\w+) = (.*)', line).groups()
        t = BY_NAME[t]
        begin, rest = read(rest, self.names, t)
        end, _ = read(re.match(r'\s*to (.*)', rest)[1], self.names, t)
        self.names[var] = Term(t, free('var ' + var, t), z3.BoolVal(True))
        inside = z3.And(when, wide(begin) <= wide(self.names[var]), wide(self.names[var]) < wide(end))
        self.effects.append(Effect('for ' + var, z3.And(when, wide(begin) < wide(end)), [begin, end]))
        self.forget(var, self.changed(var, at, inside))
        return self.run(at, inside)

    def changed(self, var, at, inside):
        """The registers that iterations of a loop may change: those that its body assigns if it begins with any values of them,
        but for assignments that are never reached."""
        found, before = self.mentioned(at), None
        while found and found != before and possible(inside):
            names, effects, outer = dict(self.names), len(self.effects), self.assigned
            self.forget(var, found)
            self.assigned = []
            self.run(at, inside)
            found, before = {reg for reg, c in self.assigned if possible(c)}, found
            self.names, self.effects[effects:] = names, []
            self.assigned = outer + [(reg, inside) for reg in found]
        return found if possible(inside) else set()

    def mentioned(self, at):
        """The registers to which something is assigned in the block that begins at a line."""
        depth, found = 1, set()
        while depth:
            line = self.lines[at]
            depth += line.endswith('{') - line.startswith('}')
            m = re.match(r'(\$[\w.]+) = ', line)
            found |= {m[1]} if m else set()
            at += 1
        return found

    def forget(self, var, changed):
        for reg in changed:
            t = self.types[reg]
            self.names[reg] = Term(t, free('in %s %s' % (var, reg), t), z3.BoolVal(True))


def difference(before, after):
    """None if the second body does what the first one does, for all values of what is free in both; else a sentence. Where the first
    one ends with an error, by a division by zero, the second one may do anything."""
    rest = {e.key: e for e in after.effects}
    if len(rest) != len(after.effects):
        return 'two effects of one name'
    for e in before.effects:
        other = rest.pop(e.key, None) or Effect(e.key, z3.BoolVal(False), e.values)
        why = differs(e, other)
        if why:
            return '%s: %s' % (e.key, why)
    for e in rest.values():
        why = differs(Effect(e.key, z3.BoolVal(False), e.values), e)
        if why:
            return '%s: %s' % (e.key, why)
    return None


def differs(x, y):
    defined = all_of([v.defined for v in x.values] + [x.when])
    pairs = [(p.value, q.value) for p, q in zip(x.values, y.values)]
    same = [p == q for p, q in pairs if not p.eq(q)] + [q.defined for q in y.values if not any(q.defined.eq(p.defined) for p in x.values)]
    if any(p.t != q.t for p, q in zip(x.values, y.values)):
        return 'another type'
    claim = z3.Implies(defined, all_of(same))
    if not x.when.eq(y.when):
        claim = z3.And(claim, x.when == y.when)
    return None if z3.is_true(z3.simplify(claim)) else proved(claim)
