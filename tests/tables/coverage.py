#!/usr/bin/python3
"""Every row of the tables is covered: an instruction has a documentation line, an independent model and a
golden case, a vector instruction random calls and the element types of vector_gen/dtypes.tsv; a rule has a test just
inside and one just outside, which expects it. (Ranges of operands: tests/unit/test_check.c takes every row of
form.def from both sides.) coverage_fails.py shows that it fails. Ends with 'N passed, N failed'."""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa
import isa_tables  # noqa: E402
import cube_model  # noqa: E402
import image_model  # noqa: E402
import move_model  # noqa: E402
import reg_model  # noqa: E402
import vector_model  # noqa: E402
import vector_gen  # noqa: E402,F401
from vector_gen.draw import FAMILIES, SHORT, TYPES, left_out  # noqa: E402


CONTROL = ('RESERVE', 'BLOCKS', 'BOUNDS', 'FLAG', 'PIPE', 'BARRIER')  # forms without tensor data


def read(path):
    full = os.path.join(ROOT, path)
    return open(full, encoding='utf-8').read() if os.path.isfile(full) else ''


def everything_under(path, ends=('.gold', '.tsv', '.py', '.tik', '.md')):
    out = ''
    for folder, _, names in os.walk(os.path.join(ROOT, path)):
        for n in sorted(names):
            if n.endswith(ends):
                out += read(os.path.relpath(os.path.join(folder, n), ROOT))
    return out


def element_types():
    """(method, types in typeset.def, types in dtypes.tsv) of vector methods whose operands have one type."""
    names = dict(re.findall(r'^OP\((\w+), "(\w+)(?:\.\w+)?"', read('runtime/isa/op.def'), re.M))
    ours = {}
    for op, found in isa_tables.types().items():
        ours.setdefault(names[op], set()).update((SHORT.get(t.lower(), t.lower()), cores) for t, cores in found)
    for method, types in sorted(ours.items()):
        theirs = set(TYPES.get(method, []))
        theirs -= {(t, cores) for t, cores in theirs - types if left_out(method, t)}
        if theirs and all(t in vector_model.core.SIZES for t, _ in theirs):
            yield method, types, theirs


def main():
    ops = re.findall(r'^OP\(\w+, "([\w.]+)", (\w+)', read('runtime/isa/op.def'), re.M)
    rules = re.findall(r'^RULE\(\w+, "([\w-]+)"', read('runtime/isa/rule.def'), re.M)
    docs = read('docs/instructions.md')
    model = read('tests/models/ref_model.py') + read('tests/models/lmem_model.py')
    model += everything_under('tests/models/quant_model')
    control = read('tests/random/control_vs_model.py')
    golden = everything_under('tests/golden', ('.gold', '.tsv', '.tik', '.md'))
    diags = read('docs/diagnostics.md')
    chains = read('tests/random/vector_gen/chain.py')
    bad = []
    done = 0

    def expect(ok, text):
        nonlocal done
        done += bool(ok)
        if not ok:
            bad.append(text)

    for op, form in ops:
        expect(f'## `{op}`' in docs, f'{op}: no section in docs/instructions.md')
        op = op.split('.')[0]   # a variant of the method
        if form in CONTROL:
            expect(op in control, f'{op}: not in tests/random/control_vs_model.py')
            continue
        expect(any(op in known for known in (model, vector_model.METHODS, cube_model.METHODS, move_model.METHODS,
                                         image_model.METHODS, reg_model.METHODS)),
               f'{op}: in no model of tests/models')
        expect(op not in vector_model.METHODS or op in FAMILIES or f'.{op}(' in chains,
               f'{op}: no random calls in tests/random/vector_gen')
        expect(re.search(r'\b' + op.replace('vec_', '(vec_|v)') + r'\b', golden), f'{op}: no golden case')
    for method, types, theirs in element_types():
        expect(types == theirs, f'{method}: element types and cores that differ: {sorted(types ^ theirs)}')
    for rule in rules:
        expect(f'`{rule}`' in diags, f'{rule}: not in docs/diagnostics.md')
        for kind in ('ok', 'bad'):
            expect(os.path.isfile(os.path.join(ROOT, f'tests/lit/rules/{kind}-{rule}.tik')),
                   f'{rule}: no tests/lit/rules/{kind}-{rule}.tik')
        bad_test = f'tests/lit/rules/bad-{rule}.tik'
        expect(re.search(rf'^\s*# [\w-]+:.*\b{rule}\b', read(bad_test), re.M), f'{rule}: {bad_test} expects another diagnostic')
    print('\n'.join(bad))
    print(f'{done} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
