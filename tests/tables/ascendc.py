#!/usr/bin/python3
"""What compiler/driver/ascendc.def says that a name of Ascend C is here exists here: a call with arguments of these names in this order, an
element type or a scope; so do the calls, structures and enumerations that its notes name. No name has two rows. Ends with 'N passed, N failed'."""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa: E402
import call_table  # noqa: E402
from isa_tables import rows  # noqa: E402


def read(path):
    return open(os.path.join(ROOT, path), encoding='utf-8').read()


def calls():
    """{name: [names of arguments] of each way to call it}"""
    found = {}
    for call in call_table.table():
        found.setdefault(call.name, []).append([a.name for a in call.args])
    for op, name, form, *_ in rows('runtime/isa/op.def', 'OP'):
        for call in call_table.calls_of(op, name, form):
            found.setdefault(name, []).append([a.name for a in call.args])
    return found


CALLS = calls()
WORDS = {r[1] for r in rows('runtime/isa/dtype.def', 'DTYPE')} | {r[0] for r in rows('compiler/tik/memory.def', 'MEMORY')}
MEMBERS = {r[0] for m in ('STRUCT', 'ENUM') for r in rows('compiler/tik/struct.def', m)}


def fits(arguments, name):
    """Whether some way of calling name begins with these arguments; numbers and expressions stand for any."""
    given = [a.split('=')[0].strip() for a in arguments.split(',') if a.strip() not in ('', '...')]
    for args in CALLS.get(name, []):
        at = 0
        for word in given:
            if word in args:
                at = args.index(word) + 1
            elif re.fullmatch(r'\d+|n|value|.*\W.*', word):
                at += 1
            else:
                break
            if at > len(args):
                break
        else:
            return True
    return not given and name in CALLS or name == 'printf'


def faults(ours, note):
    name, _, arguments = re.match(r'(\w+)(\((.*)\))?$', ours).groups()
    if name not in CALLS and name not in WORDS:
        yield f'there is no {name}'
    elif arguments is not None and not fits(arguments, name):
        yield f'{name} has no arguments ({arguments})'
    for word in re.findall(r'\b(\w+)\(', note):
        if word not in CALLS and word not in MEMBERS:
            yield f'the note names {word}'
    for word in re.findall(r'\b(scope_\w+)', note):
        if word not in WORDS:
            yield f'the note names {word}'
    for word in re.findall(r'\btik\.(\w+)', note):
        if word not in MEMBERS | set(CALLS) | WORDS:
            yield f'the note names tik.{word}'


def main():
    bad, seen = [], set()
    table = re.findall(r'^ASCENDC\("(.*?)", "(.*?)", "(.*?)"\)$', read('compiler/driver/ascendc.def'), re.M)
    for names, ours, note in table:
        bad += [f'{names}: {fault}' for fault in faults(ours, note)]
        bad += [f'{n}: two rows' for n in names.split() if n in seen]
        seen |= set(names.split())
    print('\n'.join(bad))
    print(f'{len(table)} passed, {len(bad)} failed')
    return 1 if bad or not table else 0


if __name__ == '__main__':
    sys.exit(main())
