"""Reads the tables of runtime/isa/ that say which processor has what, for gen-docs.py and the tests.

    cores()       [(id, family, core, profile, like)], the rows of core.def
    core_set(e)   an expression of ON_ names as a mask of those rows; cores that are like another count with it
    types()       {instruction: [(type, mask)]} of typeset.def, by the columns of op.def
    pairs()       [(instruction, dst, src, info, mask)]
"""
import os
import re

ISA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'runtime/isa')


def rows(name, macro):
    """Arguments of each row of a macro, as texts; commas in brackets and strings do not part them."""
    with open(os.path.join(ISA, name), encoding='utf-8') as f:
        text = re.sub(r'/\*.*?\*/', '', f.read(), flags=re.S)
    for m in re.finditer(r'^%s\(((?:[^()"]|"[^"]*"|\((?:[^()]|\([^()]*\))*\))*)\)' % macro, text, re.M):
        parts = re.findall(r'(?:[^,()"]|"[^"]*"|\((?:[^()]|\([^()]*\))*\))+', m[1])
        yield [p.strip().strip('"') for p in parts]


def cores():
    return [tuple(r) for r in rows('core.def', 'CORE')]


def sets():
    """{name: mask} of core.def and coreset.def."""
    found = {}
    for core in cores():
        found[core[0]] = sum(1 << i for i, c in enumerate(cores()) if c[4] == core[4])
    for name, expression, _ in rows('coreset.def', 'CORESET'):
        found[name] = masked(expression, found)
    return found


def masked(expression, named):
    return eval(re.sub(r'ON_(\w+)', lambda m: str(named[m[1]]), expression)) & (1 << len(cores())) - 1


SETS = sets()


def core_set(expression):
    return masked(expression, SETS)


def op_sets():
    """{name of a set: instructions that have it}"""
    found = {}
    for r in rows('op.def', 'OP'):
        found.setdefault(r[3], []).append(r[0])
    return found


def types():
    found, ops = {}, op_sets()
    for name, where, *dtypes in rows('typeset.def', 'TYPES'):
        for op in ops[name]:
            found.setdefault(op, []).extend((t, core_set(where)) for t in dtypes)
    return found


def pairs():
    ops = op_sets()
    return [(op, dst, src, info, core_set(where)) for name, dst, src, info, where in rows('typeset.def', 'PAIR')
            for op in ops[name]]


MODES = ('NONE', 'NEAREST', 'FLOOR', 'CEIL', 'AWAY', 'ZERO', 'ODD')


def modes(info):
    """The rounding modes of a pair as bits; 0: the column says something else."""
    named = {m: 1 << i for i, m in enumerate(MODES)}
    named['FIVE'] = 0x3e
    return eval(re.sub(r'RM_(\w+)', lambda m: str(named[m[1]]), info)) if 'RM_' in info else 0
