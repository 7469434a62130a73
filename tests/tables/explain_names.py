#!/usr/bin/python3
"""'tikc explain' has a page for every name that the tables and the pages of the manuals have, with the prototypes that the
tables give."""
import os
import re
import subprocess
import sys

# Words of the four documents that no table has.
WORDS = '''data_copy DataCopy DataCopyParams DataCopyEnhancedParams SliceInfo deqScale deq_scale blockMode block_mode blockCount block_count blockLen block_len srcStride
srcGap dstGap sidStoreMode deqValue isRelu deqTensorAddr startIndex endIndex burstLen shapeValue nburst burst sid src_stride dst_stride repeat_times mask
dst_rep_stride VECIN VECOUT VECCALC CO1 CO2 A1 A2 B1 B2 GM UB L1 L0A L0B L0C LMEM SMEM scope_gm scope_ubuf scope_cbuf scope_ca scope_cb scope_cc scope_lmem
resize pack_conv Const Tensor Scalar InputScalar for_range if_scope new_stmt_scope BuildCCE set_as reshape reinterpret_cast_to half float16 bfloat16 int32
BLOCK_MODE_MATRIX VDEQ8 CAST_RINT LocalTensor GlobalTensor TPipe TQue Dprofile Tik PadMode ConvReluMode Ascend910A Ascend310P portability'''.split()


sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD, ROOT  # noqa
import call_table  # noqa: E402
import isa_tables  # noqa: E402


def prototypes():
    """{name: prototypes} of what programs call."""
    found = {}
    for call in call_table.table():
        found.setdefault(call.name, []).append(call_table.prototype(call))
    for op, name, form, *_ in isa_tables.rows('runtime/isa/op.def', 'OP'):
        found.setdefault(name, []).extend(call_table.prototype(c) for c in call_table.calls_of(op, name, form))
    return found


PROTOTYPES = prototypes()


def rows(path, macro):
    return re.findall(r'^' + macro + r'\(([^)\n]*)', open(os.path.join(ROOT, path)).read(), re.M)


def names():
    found = list(WORDS)
    found += [r.split('"')[1] for r in rows('runtime/isa/op.def', 'OP')]
    found += [r.split(',')[0] for r in rows('compiler/tik/call.def', '(?:METHOD|RECORDS)')] + [r.split('"')[1] for r in rows('compiler/tik/call.def', 'CALL') if '"' in r]
    found += [r for r in rows('compiler/tik/known.def', 'KNOWN') if r != 'name']
    for macro in ('STRUCT', 'ENUM'):
        found += [r for r in rows('compiler/tik/struct.def', macro) if r != 'name']
    for macro in ('FIELD', 'ENUMERATOR'):
        found += [r.split(', ')[1] for r in rows('compiler/tik/struct.def', macro) if not r.startswith('of')]
    found += [r.split('"')[1] for r in rows('compiler/base/diag.def', 'DIAG') + rows('runtime/isa/rule.def', 'RULE')]
    for row in re.findall(r'^ASCENDC\("(.*?)", "(\w+)', open(os.path.join(ROOT, 'compiler/driver/ascendc.def')).read(), re.M):
        found += row[0].split() + [row[1]]
    for row in re.findall(r'^TOPIC\("(.*?)"', open(os.path.join(ROOT, 'compiler/driver/topic.def')).read(), re.M):
        found += row.split()
    return sorted(set(found))


def fault(name):
    r = subprocess.run([os.path.join(BUILD, 'tikc'), 'explain', name], capture_output=True, text=True)
    if r.returncode or not r.stdout.strip():
        return 'no page: ' + r.stderr.split('\n')[0]
    told = [line for line in r.stdout.split('\n') if re.match(re.escape(name) + r'\(.*\)$', line)]
    missing = [p for p in PROTOTYPES.get(name, []) if p not in told]
    return f'it does not tell {missing[0]}' if missing else None


def main():
    bad = 0
    todo = names()
    for n in todo:
        f = fault(n)
        bad += f is not None
        if f:
            print('%s: %s' % (n, f))
    print('%d passed, %d failed' % (len(todo) - bad, bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
