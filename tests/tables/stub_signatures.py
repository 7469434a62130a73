#!/usr/bin/python3
"""The recording stub of the trace tests (tests/cross/tik_stub) is called as call.def says: the arguments of every method that
it writes by hand have the names, the order and the defaults of the method's row.

A method whose row of the table has more than one way of calling is compared with the way that has its arguments. Ends with
'N passed, N failed'."""
import ast
import inspect
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import call_table  # noqa: E402
import tik  # noqa: E402

# Arguments of the table that the stub does not take: of tensors in local memory, which no trace has.
ELSEWHERE = {'Tensor': ('layout', 'lane', 'stride', 'addr')}


def written_by_hand():
    """Methods in the text of the class; those of instructions are made from the tables while it is loaded."""
    with open(tik.__file__, encoding='utf-8') as f:
        tree = ast.parse(f.read())
    body = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == 'Tik').body
    return [n.name for n in body if isinstance(n, ast.FunctionDef) and not n.name.startswith('_')]


def of_stub(method):
    parameters = list(inspect.signature(getattr(tik.Tik, method)).parameters.values())[1:]
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    return [(p.name, None if p.default is p.empty else repr(p.default).replace("'", '"')) for p in parameters]


def main():
    passed = failed = 0
    calls = call_table.by_name('CONTAINER')
    for method in written_by_hand():
        mine = of_stub(method)
        if method not in calls or mine is None:
            continue
        ways = [[(a.name, a.dflt) for a in call.args if a.name not in ELSEWHERE.get(method, ())] for call in calls[method]]
        if mine in ways:
            passed += 1
        else:
            failed += 1
            print(f'{method}: the stub has {mine}, call.def {ways}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or passed < 10 else 0


if __name__ == '__main__':
    sys.exit(main())
