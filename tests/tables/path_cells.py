#!/usr/bin/python3
"""Every cell of the tables of paths: for each move, memories, pair of types and processor the compiler's verdict is that
of path_cells.tsv.

The table is that of the vendor's package, one column for each AI core; on processors with separate cube and vector
cores a cell is 1 that one of the two has. The column 950 is from the manual. DIFFERS lists the cells in which the
manual prevails over the table, with its reason. One program per processor has every call on a line of its own.
Ends with 'N passed, N failed'."""
import os
import re
import subprocess
import sys
import tempfile
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa

HERE = os.path.dirname(os.path.abspath(__file__))
SOCS = {'Ascend310': 'Ascend310', 'Ascend910': 'Ascend910A', 'Ascend310P': 'Ascend310P3', 'BS9SX1A': 'BS9SX1AA', 'Ascend910B': 'Ascend910B1',
        'Ascend910_93': 'Ascend910_9391', 'Ascend310B': 'Ascend310B1', 'AS31XM1': 'AS31XM1X', 'BS9SX2A': 'BS9SX2AA',
        'MC61AM21A': 'MC61AM21AA', '950': 'Ascend910_95'}
TYPES = {'u8': 'uint8', 's8': 'int8', 'f16': 'float16', 'bf16': 'bfloat16', 'u16': 'uint16', 's16': 'int16', 'f32': 'float32',
         's32': 'int32', 'u32': 'uint32', 'u64': 'uint64', 's64': 'int64'}
HEAD = '''from tbe import tik
t = tik.Tik()
gm = t.Tensor("uint8", (4096,), name="gm", scope=tik.scope_gm)
gm2 = t.Tensor("uint8", (4096,), name="gm2", scope=tik.scope_gm)
'''
SCOPES = {'UB': 'scope_ubuf', 'L1': 'scope_cbuf', 'L0C': 'scope_cc', 'L0A': 'scope_ca', 'L0B': 'scope_cb'}

# (row, processors, the manual's cell, why)
DIFFERS = [
    ('data_move    bfloat16', '(?!Ascend910B|Ascend910_93|950).*', '0', 'bfloat16 is on the 910B class'),
    ('data_move_pad .*', 'Ascend035', '0', 'its list of processors leaves this one out'),
    ('(data_move|tensor_mov) .*(L1 UB|UB L1|L0C UB|UB L0C) .*', 'Ascend910B|Ascend910_93', '0',
     'the path crosses from the cube to the vector core'),
    (r'tensor_mov .* L0C GM path', 'Ascend910B|Ascend910_93', '1', 'the cube core has it'),
    (r'tensor_mov (sc|cc_sc322ubuf|ubuf2cc_sc32) .*(path|L0C UB \S*(32(relu)?|f16v?deq\S*)|UB L0C .*)', 'Ascend310P|Ascend610', '1', 'the list of paths names sc'),
    (r'tensor_mov [mv] L0C UB s32(s8|u8)v?deq8', 'Ascend310|Ascend910', '0', 'conversion codes 8 and 9: there are 0 to 7'),
    (r'tensor_mov [mv] L0C UB s32(f16v?deq16|s16v?deqs16)', 'Ascend310|Ascend910|Hi3796CV300ES', '0', 'codes 10 to 13'),
    (r'tensor_mov [mv] (L0C UB|UB L0C) f32f16', '(Hi3796|SD).*', '0', 'code 1'),
    ('fixpipe    f16f16', '(Hi3796|SD).*', '0', 'sources are float32 and int32'),
    ]


def view(scope, dtype, second=False):
    name = scope.lower() + ('2' if second else '')
    return f'{name}.reinterpret_cast_to("{dtype}")'


def types_of(text):
    """('int32', 'float16', 'vdeq16', True)"""
    m = re.fullmatch(r'(bf16|[usf]\d+?)(bf16|f16|f32|s8|u8|s16|u16|s32|u32|s64|u64)(\w*?)(relu)?', text)
    return TYPES[m.group(1)], TYPES[m.group(2)], m.group(3), bool(m.group(4))


def tensor_mov(form, src, dst, text):
    mode = next((m for m in ('sc', 'dp', 'm', 'v') if re.search(r'(^|cc_)%s(\d|$)' % m, form)), '')
    if text == 'path':
        wide = '16' not in form.split('2', 1)[-1] if mode else False
        a = b = 'float32' if wide else 'float16'
        how, relu = '', False
        wide = re.search(r'cc_[a-z]+(16|32)', form)
        a = b = 'float32' if wide and wide.group(1) == '32' else 'float16'
    else:
        a, b, how, relu = types_of(text)
    scale = {'': 'None', 'deq': '0.5', 'vdeq': view('UB', 'float16', True), 'deq8': str(1 << 46 if b == 'int8' else 0),
             'deq16': '0', 'deqs16': '0', 'vdeq8': view('UB', 'uint64', True), 'vdeq16': view('UB', 'uint64', True),
             'vdeqs16': view('UB', 'uint64', True)}[how]
    if relu and how == 'deq8':
        scale = str((0x180 << 37 | 1 << 46 if b == 'int8' else 0) | 1 << 47)
    return (f't.tensor_mov({view(dst, b, src == dst)}, {view(src, a)}, "{mode}", 1, 1, 0, 0, {scale}'
            f'{", relu=True" if relu else ""})')


def call(method, form, src, dst, text):
    if method == 'tensor_mov':
        return tensor_mov(form, src, dst, text)
    if method == 'tensor_padding_with_matrix':
        return f't.tensor_padding_with_matrix({view(dst, "float16")}, 1, 0.0)'
    a = b = 'float16' if 'L0C' not in (src, dst) else 'int32' if method == 'fixpipe' else 'float32'
    if text != 'path':
        a, b = (text, text) if text in TYPES.values() else types_of(text)[:2] if not text in TYPES else (TYPES[text],) * 2
        src, dst = {'data_move_multi_nd2nz': ('GM', 'L1'), 'mmad_broadcast': ('UB', 'L0C'), 'broadcast_ub_to_l0c': ('UB', 'L0C'),
                    'fixpipe': ('L0C', 'GM')}.get(method, ('GM', 'UB'))
    d, s = view(dst, b, src == dst), view(src, a)
    if method == 'fixpipe':
        extra = {('int32', 'float16'): '{"quantize_params": {"mode": "int322fp16", "mode_param": 0.5}}',
                 ('float32', 'float16'): '{"quantize_params": {"mode": "fp322fp16"}}'}.get((a, b), 'None')
        return f't.fixpipe({d}, {s}, 1, {32 if a != "float16" else 16}, 0, 0, {extra})'
    return {'data_move': f't.data_move({d}, {s}, 0, 1, 1, 0, 0)',
            'data_move_pad': f't.data_move_pad({d}, {s}, 1, 32, 0, 0)',
            'data_move_multi_nd2nz': f't.data_move_multi_nd2nz({d}, {s}, 1, 16, 8, 0, 8, 16, 1, 1)',
            'broadcast_ub_to_l0c': f't.broadcast_ub_to_l0c({d}, {s}, 1, 1, 0, 0)',
            'mmad_broadcast': f't.mmad_broadcast({d}, {s}, 0, 1, 1, 0, 0)'}[method]


def table():
    lines = [line.rstrip('\n').split('\t') for line in open(os.path.join(HERE, 'path_cells.tsv'))]
    return lines[0][5:], [(tuple(r[:5]), r[5:]) for r in lines[1:]]


def verdicts(chip, rows):
    """The rule that each row breaks, or None."""
    text = HEAD + ''.join(f'{s.lower()}{n} = t.Tensor("uint8", (4096,), name="{s.lower()}{n}", scope=tik.{scope})\n'
                          for s, scope in SCOPES.items() for n in ('', '2'))
    first = text.count('\n')
    text += ''.join(call(*row) + '\n' for row in rows) + 't.BuildCCE(kernel_name="k", inputs=[gm], outputs=[gm2])\n'
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, 'k.tik')
        open(path, 'w').write(text)
        p = subprocess.run([TIKC, 'check', '--soc', SOCS.get(chip, chip), '--max-errors', '100000', path], capture_output=True, text=True)
    wrong = {}
    for line, rule in re.findall(r'^\S*?k\.tik:(\d+):\d+: error: .*\[([\w-]+)\]$', p.stdout + p.stderr, re.M):
        wrong.setdefault(int(line), rule)
    lost = {s for i, s in enumerate(SCOPES) if first - 10 + 2 * i + 1 in wrong}
    return [wrong.get(first + 1 + i) or next(('no ' + s for s in lost if s in row[2:4]), None) for i, row in enumerate(rows)]


def expected(row, chip, cell):
    for pattern, chips, value, _ in DIFFERS:
        if re.fullmatch(pattern, ' '.join(row)) and re.fullmatch(chips, chip):
            return value
    return cell


def main():
    chips, cells = table()
    rows = [row for row, _ in cells]
    passed = failed = 0
    for i, chip in enumerate(chips):
        for (row, values), rule in zip(cells, verdicts(chip, rows)):
            ok = expected(row, chip, values[i]) == ('0' if rule else '1')
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print(f'{chip}: {" ".join(row)}: the table says {values[i]}, the compiler {rule or "yes"}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
