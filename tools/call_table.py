"""Reads compiler/tik/call.def: calls as programs write them, for gen-docs.py and the tests.

    by_name(owner)              {name: [Call]} of the methods or functions of an owner, in the order of the table
    owners()                    [(id, what)]
    calls_of(op, name, form, operands)
                                the calls of an instruction: those of the table, and one with the operands of its form
    prototype(call), takes(arg) as 'tikc explain' prints them
"""
import collections
import re

from isa_tables import rows, unquote

TABLE = 'compiler/tik/call.def'
Arg = collections.namedtuple('Arg', 'name kind of dflt other')
Call = collections.namedtuple('Call', 'id owner name meaning args')


def shown(dflt):
    """What stands for an argument that is left out; None: it must be given."""
    kind, _, value = dflt.partition('(')
    value = value[:-1]
    if kind in ('OWN', 'TEXT'):
        text = unquote(value)
        return text if kind == 'OWN' else f'"{text}"'
    return {'REQUIRED': None, 'NONE': 'None', 'INT': value, 'BOOL': value.capitalize()}[kind]


def table():
    args = {}
    for call, name, kind, of, dflt in rows(TABLE, 'ARG'):
        args.setdefault(call, []).append(Arg(name, kind, of, shown(dflt), None))
    found = [Call(i, owner, name, meaning, args.get(i, [])) for i, owner, name, meaning in rows(TABLE, 'CALL')]
    found += [Call(i, owner, name, meaning, args.get(other, [])) for i, owner, name, other, meaning in rows(TABLE, 'LIKE')]
    return found


def owners():
    return list(rows(TABLE, 'OWNER'))


def by_name(owner):
    found = {}
    for call in table():
        if call.owner == owner:
            found.setdefault(call.name, []).append(call)
    return found


def arg_of_operand(name, role, of, dflt, count):
    kind = {'DST': 'TENSOR', 'SRC': 'TENSOR', 'ROOT': 'TENSOR', 'MASK': 'MASK', 'MASKMODE': 'MASKMODE', 'REPEAT': 'INT', 'INT': 'INT',
            'SCALAR': 'NUMBER', 'ATTR': 'FIXED', 'PIPE': 'WORD'}[role]
    kind = of if of in ('ROUND', 'SIDE', 'BOOL') else kind
    value = None if dflt == 'REQUIRED' else str(bool(int(dflt))) if of == 'BOOL' else dflt
    if role == 'MASKMODE':
        value = '"normal"'
    return Arg(name, 'LIST' if count > 1 else kind, '', value, None)


def call_of_form(name, form):
    """A call with the operands of a form of isa_tables.forms()."""
    _, family, _, operands, _ = form
    args = [arg_of_operand(o[1], o[2], o[3], o[8], o[0]) for o in operands]
    if family == 'MOVE' and args and args[-1].name == 'mode':
        args[-1] = args[-1]._replace(name='PadMode', other='ConvReluMode')
    return Call(name, 'CONTAINER', name, '', args)


def calls_of(op, name, form, _operands=None):
    import isa_tables
    if '.' in name or op in [r[0] for r in rows(TABLE, 'RECORDED')]:
        return by_name('CONTAINER').get(name, [])
    own = by_name('CONTAINER').get(name, [])
    beside = [r[0] for r in rows(TABLE, 'OPERANDS')]
    return ([] if own and op not in beside else [call_of_form(name, isa_tables.forms()[form])]) + own


def takes(arg):
    kinds = dict(rows(TABLE, 'KIND'))
    return ('a tik.' + arg.of if arg.kind in ('STRUCT', 'ENUM') else arg.of) or kinds[arg.kind]


def prototype(call):
    parts, keyword = [], False
    for arg in call.args:
        text = arg.name
        if arg.dflt is not None:
            text += '=' + arg.dflt
        elif arg.kind == 'STRUCT':
            text += f'={arg.of}(...)'
        elif keyword:
            text += '=...'
        keyword = keyword or arg.dflt is not None or arg.kind == 'STRUCT'
        parts.append(text + (f' or {arg.other}' if arg.other else ''))
    return f'{call.name}({", ".join(parts)})'
