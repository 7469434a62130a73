"""Reads the tables of the tree, for gen-docs.py and the tests.

    rows(path, m)  arguments of each row of a macro
    cores()        [(id, family, core, profile, like)], the rows of core.def
    core_set(e)    an expression of ON_ names as a mask of those rows; cores that are like another count with it
    types()        {instruction: [(type, mask)]} of typeset.def, by the columns of op.def
    pairs()        [(instruction, dst, src, info, mask)]
"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ISA = os.path.join(ROOT, 'runtime/isa')


def strip_comments(text):
    return re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)


def arguments(text, at):
    """Those of a call, from after its bracket on, and the place after it."""
    parts, depth, quoted = [''], 1, False
    while depth:
        c = text[at]
        if quoted and c == '\\':
            c += text[at + 1]
        quoted ^= c == '"'
        depth += not quoted and (c == '(') - (c == ')')
        if c == ',' and depth == 1 and not quoted:
            parts.append('')
        elif depth:
            parts[-1] += c
        at += len(c)
    return [p.strip() for p in parts], at


def rows(path, macro):
    """Argument lists of a macro's rows, as lists of texts; string literals are joined and unquoted."""
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        text = strip_comments(f.read())
    for m in re.finditer(r'^' + macro + r'\(', text, re.M):
        yield [unquote(a) for a in arguments(text, m.end())[0]]


def unquote(a):
    """The text of string literals side by side; what has others beside them stays as it is."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', a)
    plain = re.fullmatch(r'(?:"(?:[^"\\]|\\.)*"\s*)+', a)
    return ''.join(parts).replace('\\"', '"') if plain else a


def cores():
    return [tuple(r) for r in rows('runtime/isa/core.def', 'CORE')]


def sets():
    """{name: mask} of core.def and coreset.def."""
    found = {}
    for core in cores():
        found[core[0]] = sum(1 << i for i, c in enumerate(cores()) if c[4] == core[4])
    for name, expression, _ in rows('runtime/isa/coreset.def', 'CORESET'):
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
    for r in rows('runtime/isa/op.def', 'OP'):
        found.setdefault(r[3], []).append(r[0])
    return found


def types():
    found, ops = {}, op_sets()
    for name, where, *dtypes in rows('runtime/isa/typeset.def', 'TYPES'):
        for op in ops[name]:
            found.setdefault(op, []).extend((t, core_set(where)) for t in dtypes)
    return found


def pairs():
    ops = op_sets()
    return [(op, dst, src, info, core_set(where)) for name, dst, src, info, where in rows('runtime/isa/typeset.def', 'PAIR')
            for op in ops[name]]


MODES = ('NONE', 'NEAREST', 'FLOOR', 'CEIL', 'AWAY', 'ZERO', 'ODD')


def modes(info):
    """The rounding modes of a pair as bits; 0: the column says something else."""
    named = {m: 1 << i for i, m in enumerate(MODES)}
    named['FIVE'] = 0x3e
    return eval(re.sub(r'RM_(\w+)', lambda m: str(named[m[1]]), info)) if 'RM_' in info else 0


# ---- operands of forms (form.def)

SHORT = ('PARAM', 'LANED', 'BLK_OF', 'REP_OF', 'SLICED', 'IN_LMEM')  # what is left after expansion


def macros(text):
    """{name: (parameters, body)} of a table's own shorthands."""
    text = re.sub(r'\\\n', ' ', text)
    return {m[1]: ([p.strip() for p in m[2].split(',')], m[3].strip())
            for m in re.finditer(r'^#define (\w+)\(([^)]*)\) +(\S.*)$', text, re.M)}


def expanded(text, known):
    """[(name, arguments)] of the calls that are left, in order; LIST rows stay as they are."""
    found, at = [], 0
    for m in re.finditer(r'\b([A-Z][A-Z_0-9]*)\(', text):
        if m.start() < at:
            continue
        args, at = arguments(text, m.end())
        if m[1] not in known or m[1].startswith('LIST'):
            found.append((m[1], args))
            continue
        names, body = known[m[1]]
        for name, value in zip(names, args):
            body = re.sub(r'\b%s(?:##(\w+))?' % name, lambda x, v=value: v + (x[1] or ''), body)
        found += expanded(body, known)
    return found


def forms():
    """{form: (name, family, main, operands, links)}: operands [(count, name, role, of, lo, hi, unit, rule, dflt)], count
    that of a list or 1; links [(kind, arguments)], kinds those of SHORT but PARAM."""
    with open(os.path.join(ISA, 'form.def'), encoding='utf-8') as f:
        text = strip_comments(f.read())
    plain = '\n'.join(line for line in re.sub(r'\\\n', ' ', text).split('\n') if not line.startswith('#'))
    found, form, name = {}, None, None
    for kind, args in expanded(plain, macros(text)):
        if kind == 'FORM':
            name = args[0]
            form = found[name] = (args[1].strip('"'), args[2], args[3], [], [])
        elif args[0] != name:
            raise SystemExit('form.def: %s(%s) stands in the form %s' % (kind, ', '.join(args), name))
        elif kind == 'PARAM' or kind.startswith('LIST'):
            form[3].append((int(kind[4:]) if kind.startswith('LIST') else 1, *(a.strip('"') for a in args[1:])))
        elif kind in SHORT:
            form[4].append((kind, args[1:]))
    return found


def main_slot(form):
    """The slot of a form's main operand; -1: none."""
    slot = 0
    for count, name, *_ in form[3]:
        if name == form[2]:
            return slot
        slot += count
    return -1
