#!/usr/bin/python3
"""What the compiler says of every cell of the tables of types: for each vector method, each row of operand types that it
has anywhere and each processor, a correct call is checked; it is refused for its types exactly where
vector_gen/dtypes.tsv has no such type. Calls are drawn by vector_gen, those on registers are made here. (coverage.py
compares that table with typeset.def; this asks the compiler.)
Ends with 'N passed, N failed'.
usage: dtype_cells.py [--match TEXT]"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa
import isa_tables  # noqa: E402
import reg_model  # noqa: E402
from vector_gen import draw  # noqa: E402
from vector_gen.batch import Batch  # noqa: E402

# Refusals for types, and for the processor as a whole.
REFUSED = {'not-on-arch', 'dtype-unsupported', 'dtype-mismatch', 'round-mode', 'tensor-dtype', 'deq-type', 'scalar-dtype'}
AS_DRAWN = {'V100': 'Ascend910A', 'V200': 'Ascend310P3', 'V220': 'Ascend910B1', 'V300': 'Ascend310B1'}
SMALL_BLOCKS = 'NANO'   # vector instructions there are refused as a whole
# Setters of a register that nothing reads there, or whose value is fixed (vector 9.5).
EXCEPTIONS = {('set_rpn_offset', 'Ascend310')}


def table(path, macro):
    text = re.sub(r'/\*.*?\*/', '', open(os.path.join(ROOT, path)).read(), flags=re.S)
    return [[a.strip().strip('"') for a in m.split(',')] for m in re.findall(rf'^{macro}\((.*)\)', text, re.M)]


def processors():
    """[(name, bit in the tables, generation)], one for each kind of core that can be compiled for."""
    bits = {row[0]: (i, row[3]) for i, row in enumerate(isa_tables.cores())}
    seen = {}
    for name, _, core, *_ in table('runtime/isa/soc.def', 'SOC'):
        seen.setdefault(core, name)
    return [(name, *bits[core]) for core, name in seen.items()]


def operand_rows(method):
    return sorted({o for o, _ in draw.TYPES[method] if not draw.left_out(method, o)})


def spelled(operands):
    """Of operands of one type the table has two spellings."""
    m = re.fullmatch(r'([a-z]+\d+)\1', operands)
    return draw.SHORT[m.group(1)] if m else operands


def has(method, operands, name, bit):
    return (method, name) not in EXCEPTIONS and any(
        spelled(o) == spelled(operands) and cores >> bit & 1 for o, cores in draw.TYPES[method])


def on_registers(method, operands):
    """Lines of a call, the last one being it."""
    src, _, dst = operands.partition('>')
    dst = dst or src
    lines = [f'a = tik_instance.Vector("{dst}", "a")', f'b = tik_instance.Vector("{src}", "b")',
             f'c = tik_instance.Vector("{src}", "c")']
    if method == 'vector_cast':
        ratio = max(draw.SIZES[src], draw.SIZES[dst]) // min(draw.SIZES[src], draw.SIZES[dst])
        return lines + [f'tik_instance.{method}(None, a, b, part_indicator={ {1: None, 2: "PART_ODD", 4: "PART_P3"}[ratio]!r})']
    if method in ('vector_load', 'vector_store'):
        lines.append(f'u = tik_instance.Tensor("{src}", (1024,), tik.scope_ubuf, "u")')
        return lines + [f'tik_instance.{method}(' + ('a, u)' if method == 'vector_load' else 'u, a)')]
    if method == 'vector_vdhistv2':
        lines[0] = 'a = tik_instance.Vector("uint16", "a")'
        lines.append('d = tik_instance.Vector("uint16", "d")')
        return lines + ['tik_instance.vector_vdhistv2(None, a, d, b)']
    if method in ('vector_vintlv', 'vector_vdintlv'):
        return lines + [f'tik_instance.{method}(a, b, b, c)']
    operands = 'a' if method == 'vector_vdup' else 'a, b, c' if method in reg_model.BINARY else 'a, b'
    scalar = ', 1' if method == 'vector_vdup' or method in reg_model.SCALAR else ''
    return lines + [f'tik_instance.{method}(None, {operands}{scalar})']


def drawn(method, operands, processor):
    """Lines of a call that vector_gen draws, without moves; the number of the line that it is on. A setter is drawn
    with what it is for, and not each time."""
    for seed in range(1, 100):
        d = draw.Draw(method, processor, operands, seed, draw.FAMILIES, late=0)
        lines = [text for text in Batch(processor, [d]).source().splitlines()[2:]
                 if 'data_move(' not in text and 'BuildCCE(' not in text]
        at = [i for i, text in enumerate(lines) if f'tik_instance.{method}(' in text]
        if at:
            return lines, at[-1]
    raise ValueError(f'no call of {method} is drawn')


def program(cells, processor):
    """(text, {line: cell})"""
    lines, where = ['from tbe import tik', 'tik_instance = tik.Tik()'], {}
    lines.append('gm = tik_instance.Tensor("float16", (256,), tik.scope_gm, "gm")')
    for method, operands in cells:
        if method in reg_model.METHODS:
            call = on_registers(method, operands)
            at = len(call) - 1
        else:
            call, at = drawn(method, operands, processor)
        lines.append('with tik_instance.new_stmt_scope():')
        where[len(lines) + at + 1] = (method, operands)
        lines += ['    ' + c for c in call]
    lines.append('tik_instance.BuildCCE(kernel_name="k", inputs=[gm], outputs=[])')
    return '\n'.join(lines) + '\n', where


def errors(text, processor):
    """{line: [rule]} of the diagnostics of a program."""
    with tempfile.NamedTemporaryFile('w', suffix='.tik') as f:
        f.write(text)
        f.flush()
        run = subprocess.run([TIKC, 'check', '--soc', processor, '--max-errors', '1000000', f.name], capture_output=True,
                             text=True)
        out = {}
        for line, rule in re.findall(re.escape(f.name) + r':(\d+):\d+: error: .*\[([\w-]+)\]', run.stderr):
            out.setdefault(int(line), []).append(rule)
        return out, run.stderr if run.returncode not in (0, 1) else ''


def verdict(cell, rules, expected):
    """None, or what is wrong."""
    other = [r for r in rules if r not in REFUSED]
    if expected and rules:
        return f'is refused ({", ".join(rules)}), the table has it'
    if not expected and other:
        return f'the call is wrong for another reason: {", ".join(other)}'
    return None if expected or rules else 'is accepted, the table does not have it'


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    match = ap.parse_args().match
    methods = [m for m in sorted(draw.TYPES) if match in m and (m in draw.FAMILIES or m in reg_model.METHODS)]
    cells = [(m, o) for m in methods for o in operand_rows(m)]
    passed, bad = 0, []
    for name, bit, generation in processors():
        text, where = program(cells, AS_DRAWN.get(generation, 'Ascend310P3'))
        found, crash = errors(text, name)
        if crash:
            bad.append(f'{name}: {crash[-300:]}')
        for line, (method, operands) in where.items():
            rules = found.get(line, [])
            # A register that does not exist stands for the call.
            if method in reg_model.METHODS:
                rules = rules or found.get(line - 1, []) + found.get(line - 2, []) + found.get(line - 3, [])
            works = generation != SMALL_BLOCKS or method.startswith('set_fp')
            expected = has(method, operands, name, bit) and works
            wrong = verdict((method, operands), rules, expected)
            passed += wrong is None
            if wrong:
                bad.append(f'{method} {operands} on {name} {wrong}')
    print('\n'.join(bad[:60]))
    print(f'{passed} passed, {len(bad)} failed')
    return 1 if bad or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
