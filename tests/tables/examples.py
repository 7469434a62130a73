#!/usr/bin/python3
"""Each call of compiler/tik/call.def and each instruction that a program calls has one example in docs/examples, which calls it; each
example is of something that the tables have. tests/cross/examples.py runs them. Ends with 'N passed, N failed'."""
import ast
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa: E402,F401
import call_table  # noqa: E402
import example_table  # noqa: E402
from isa_tables import rows  # noqa: E402

OPERATORS = {'__getitem__', '__setitem__'}  # a program writes them as subscripts


def wanted():
    """{name of an example: what a program writes}: the CALL rows, and the instructions that are called by their operands."""
    calls = {c.id: c.name for c in call_table.table()}
    recorded = {r[0] for r in rows(call_table.TABLE, 'RECORDED')}
    beside = {r[0] for r in rows(call_table.TABLE, 'OPERANDS')}
    for op, name, *_ in rows('runtime/isa/op.def', 'OP'):
        if '.' not in name and op not in recorded and (name not in calls.values() or op in beside):
            calls[name] = name
    return calls


def written(program):
    """The attributes and subscripts of a program."""
    found = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Subscript):
            found.add('__setitem__' if isinstance(node.ctx, ast.Store) else '__getitem__')
    return found


def main():
    want = wanted()
    bad, seen = [], {}
    for example in map(example_table.read, example_table.stems()):
        used = written(example.program)
        for name in example.names:
            if name in seen:
                bad.append(f'{name}: examples {seen[name]} and {example.stem}')
            seen[name] = example.stem
            if name not in want:
                bad.append(f'{example.stem}: no table has {name}')
            elif want[name] not in used:
                bad.append(f'{example.stem}: it does not call {want[name]}')
        if example.stem not in example.names or f'kernel_name="{example.stem}"' not in example.program:
            bad.append(f'{example.stem}: the file and its kernel have the name of a call that it shows')
    bad += [f'{name}: no example in {example_table.FOLDER}' for name in sorted(set(want) - set(seen))]
    print('\n'.join(bad))
    print(f'{len(want)} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
