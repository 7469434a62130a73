"""How an integer operand may be spelt: for compilers the same number is many things. The random programs draw all of
them, and as often numbers that fold to a constant as literals and as numbers that only the run knows.

    ops = Operands(rnd, late)
    call = f't.data_move(u, x, 0, 1, {ops.number(8)}, 0, 0)'
    lines += ops.around(call)        # with the Scalars in front and the loops around it that its numbers need

late(v): text of a Scalar or Expr that is v and that only the run knows; None: such numbers are not wanted. rnd needs
nothing but random(), so it may be one of numpy. A program needs names of its own: count them through one Names."""

TINY, BIG = -2**31, 2**31 - 1


class Names:
    """Fresh names with a stem."""

    def __init__(self, stem='q'):
        self.stem, self.used = stem, 0

    def fresh(self):
        self.used += 1
        return f'{self.stem}{self.used}'


def pick(rnd, items):
    return items[int(rnd.random() * len(items))]


class Operands:
    """The numbers of one statement. kit: the name of the Tik object; ones: variables of open loops of one trip from 0."""

    def __init__(self, rnd, late=None, names=None, kit='t', ones=()):
        self.rnd, self.late, self.kit, self.ones = rnd, late, kit, ones
        self.names = names or Names()
        self.before, self.loops = [], []

    def number(self, v):
        """Text of the int v: a literal, a number that folds, or one that only the run knows."""
        v = int(v)
        kinds = [self.literal, self.folding] + [self.running] * (self.late is not None)
        return pick(self.rnd, kinds)(v) if TINY <= v <= BIG else str(v)

    def literal(self, v):
        return str(v) if v >= 0 else f'({v})'

    # ---- numbers that fold

    def folding(self, v):
        return pick(self.rnd, [self.constant, self.assigned, self.expression, self.sum, self.variable])(v)

    def scalar(self, init=None):
        name = self.names.fresh()
        given = '' if init is None else f', init_value={init}'
        self.before.append(f'{name} = {self.kit}.Scalar("int32", "{name}"{given})')
        return name

    def constant(self, v):
        return self.scalar(v)

    def assigned(self, v):
        """Set once, after its declaration."""
        name = self.scalar()
        self.before.append(f'{name}.set_as({v})')
        return name

    def expression(self, v):
        """Algebra leaves the number: terms cancel, or all of them are constants."""
        c = self.scalar(1 + int(self.rnd.random() * 9))
        return pick(self.rnd, [f'({c} - {c} + {v})', f'({c} * 0 + {v})', f'({c} // {c} + {v - 1})'])

    def sum(self, v):
        part = int(self.rnd.random() * (abs(v) + 1))
        return f'({self.scalar(part)} + {self.literal(v - part)})'

    def variable(self, v):
        """The variable of a loop of one trip: of one around the statement, or one made for it."""
        if self.ones and self.rnd.random() < 0.5:
            return f'({pick(self.rnd, self.ones)} + {v})'
        name = self.names.fresh()
        begin = self.scalar(v) if v < 0 or self.rnd.random() < 0.5 else v
        end = f'{begin} + 1' if v < 0 else v + 1   # written as numbers they are not negative
        self.loops.append(f'with {self.kit}.for_range({begin}, {end}) as {name}:')
        return name

    # ---- numbers that only the run knows

    def running(self, v):
        return self.conditional(v) if self.rnd.random() < 0.4 else self.late(v)

    def conditional(self, v):
        """Set in a branch that is taken; else it would be another number, often a wrong one."""
        other = pick(self.rnd, [v, 0, -1, 1 << 20])
        name, test = self.scalar(other), int(self.rnd.random() * 9)
        self.before += [f'with {self.kit}.if_scope({self.late(test)} == {test}):', f'    {name}.set_as({v})']
        return name

    # ---- the statement

    def around(self, *lines):
        """The lines of the statement with what its numbers need; afterwards nothing is open."""
        out, depth = list(self.before), 0
        for loop in self.loops:
            out.append('    ' * depth + loop)
            depth += 1
        out += ['    ' * depth + line for line in lines]
        self.before, self.loops = [], []
        return out
