"""Fills the tables of docs/blob-rules.md, for gen-docs.py: each replaces what follows its mark `<!-- table: NAME -->`."""
import glob
import os
import re
import subprocess

import isa_tables
from gen_blob_tables import numbers, read, table
from isa_tables import rows

ISA = 'runtime/isa/'
PAGE = 'docs/blob-rules.md'
REQUIRE = 'runtime/rules/require.def'
PATHS = 'runtime/rules/family_path.def'
TOOL = os.path.join(isa_tables.ROOT, os.environ.get('BUILD', 'build'), 'rule-tables')


def dtype_names():
    return {r[0]: r[1] for r in rows(ISA + 'dtype.def', 'DTYPE')}


# ---- further rules

DIRECTIONS = {'ALONE': 'ends', 'STEPS': 'residue', 'RISES': 'least', 'KNOWN': 'known', 'FROM_2': 'from 2'}
# What stands in the terms of require.def, and how the page writes it.
WORDS = [(r'check_is_pad_move\(in\)', 'pad move'), (r'check_is_geometry\(in\)', 'geometry'), (r'in->soc->bytes\[SC_(\w+)\]', r'bytes of \1'),
         (r'flag_ids\(in->soc\)', 'ids'), (r'check_bi_unit\(in->soc, TYPE\((\w+)\)\)', r'8 / size(\1) on cores with BI_BYTES_8, else of 1'), (r'fractal_c0\(SIZE\(\w+\)\)', 'c0'),
         (r'!OPEN\((\w+)\)', r'the region of \1 is not open'), (r'SCOPE\((\w+)\) != SC_(\w+)', r'\1 is not in \2'), (r'SCOPE\((\w+)\) == SC_(\w+)', r'\1 is in \2'),
         (r'HAS\((\w+)\) \? (\w+) : (\w+)', r'\2 on cores with \1, else \3'), (r'IS_TYPE\((\w+), F(\d+)\)\s*\? (\w+)\s*:', r'\3 if \1 is float\2,'),
         (r'IS_TYPE\((\w+), S(\d+)\)\s*\? (\w+)\s*: (\w+)$', r'\3 if it is int\2, else \4'),
         (r'NUMBER\((\w+)\)', r'`\1`'), (r'SIZE\((\w+)\)', r'size(\1)'), (r'BYTES\((\w+)\)', r'bytes(\1)'), (r'\bLITERAL\b', 'it is an immediate'),
         (r'!=', 'is not'), (r'==', '='), (r'\|\|', 'or'), (r'&&', 'and'), (r'\s+', ' '), (r'^true$', '')]
CONSTANTS = {'BLOCK_BYTES': '32', 'FRACTAL_SIDE': '16', 'FRACTAL_COLS': '16', 'MOST_BLOCKS': '65535', 'BLOCK_DP': '3', 'PAD_GIVEN': '1'}


def expand(text):
    """The rows of the table with its own macros replaced by their rows."""
    text = re.sub(r'\\\n', ' ', isa_tables.strip_comments(text))
    macros = re.findall(r'^#define (\w+)\((\w+(?:, \w+)*)\) (.*)$', text, re.M)
    for name, parameters, body in macros:
        def use(m, body=body, parameters=parameters):
            for p, a in zip(parameters.split(', '), m[1].split(', ')):
                body = re.sub(rf'##{p}\b|\b{p}##|\b{p}\b', a, body)
            return body
        text = re.sub(rf'^{name}\(([^\n]*)\)$', use, text, flags=re.M)
    return re.sub(r'^#.*$', '', text, flags=re.M)


def plain(term, form):
    """A term of C as the page has it."""
    term = re.sub(rf'\b{form}_(\w+)', r'\1', term)
    for name, value in CONSTANTS.items():
        term = re.sub(rf'\b{name}\b', value, term)
    for pattern, words in WORDS:
        term = re.sub(pattern, words, term)
    if re.search(r'->|[?!]|[A-Z_]{4,}\(|SC_', term):
        raise SystemExit(f'{REQUIRE}: nothing says how the page writes {term}')
    return term.strip()


def relation(term, form):
    kind = re.match(r'\w+', term)[0]
    a = [plain(x, form) for x in isa_tables.arguments(term, len(kind) + 1)[0]]
    return {'BETWEEN': ' to '.join(a), 'AT_MOST': 'at most ' + a[-1], 'EQUAL': a[0], 'MULTIPLE': 'a multiple of ' + a[0]}[kind]


def further():
    by_form, names = {}, {r[0]: r[1] for r in rows(ISA + 'rule.def', 'RULE')}
    for _, name, form, _, _, sem, _ in rows(ISA + 'op.def', 'OP'):
        by_form.setdefault(form, []).append((name, re.match(r'\w+', sem)[0]))
    body, text = [], expand(read(REQUIRE))
    for m in re.finditer(r'\b(REQUIRE_OF|REQUIRE|ALSO|ASK)\(', text):
        a = isa_tables.arguments(text, m.end())[0]
        sem = a.pop(1) if m[1] == 'REQUIRE_OF' else None
        form, operand, rule = a[:3]
        if m[1] == 'ASK':
            when, is_, direction = '', isa_tables.unquote(a[5]), a[3]
        else:
            when, is_, direction = plain(a[3], form), relation(a[4], form), a[5]
        ops = ' '.join(f'`{n}`' for n, s in by_form[form] if sem in (None, s))
        body.append((ops, f'`{operand}`', f'`{names[rule]}`', when, is_, '' if m[1] == 'ALSO' else DIRECTIONS[direction]))
    joined = {}
    for ops, *cells in body:  # forms that differ in nothing here are one row
        joined.setdefault(tuple(cells), []).append(ops)
    return table(['instructions', 'operand', 'rule', 'when', 'it is', 'direction'], [(' '.join(dict.fromkeys(ops)), *cells) for cells, ops in joined.items()])


# ---- paths and pairs

def where(expression):
    mask = isa_tables.core_set(expression)
    return ' '.join(str(i) for i in range(len(isa_tables.cores())) if mask >> i & 1)


def paths():
    ops = list(rows(ISA + 'op.def', 'OP'))
    body = []
    for column, macro in (5, 'LOAD_PATH'), (2, 'TRANSFER_PATH'):
        for key, src, dst, cores in rows(PATHS, macro):
            names = ' '.join(f'`{o[1]}`' for o in ops if re.match(r'\w+', o[column])[0] == key)
            body.append((names, src if src != dst else '', dst, where(cores)))
    return table(['instructions', 'from', 'to', 'cores'], body)


def modes(expression):
    return ' '.join(m.strip().lower() for m in expression.split('|')) if expression != '0' else ''


def block_modes():
    return table(['from', 'to', 'block modes', 'cores'], [(s, d, modes(m), where(c)) for s, d, m, c in rows(ISA + 'l0c_move.def', 'ACC_PATH')])


def codes():
    body = []
    for cores, expression in rows(ISA + 'l0c_move.def', 'ACC_CODES'):
        text = expression.replace('|', ',')
        text = re.sub(r'CODES\((\d+), (\d+)\)', r'\1 to \2', text)
        body.append((where(cores), re.sub(r'\s*,\s*', ', ', re.sub(r'CODE\((\d+)\)', r'\1', text))))
    return table(['cores', 'codes'], body + [('all others', '0')])


def acc_pairs():
    scales = {'NONE': 0, 'DEQ': 1, 'VDEQ': 2, 'DEQ8': 3, 'VDEQ8': 4, 'DEQ16': 5, 'VDEQ16': 6}
    names, body = dtype_names(), []
    for src, dst, tik, enhanced, a, b, scale, _, relu in rows(ISA + 'l0c_move.def', 'ACC_PAIR'):
        both = modes(' | '.join(m for m in ('M', 'V', 'SC', 'DP') if re.search(rf'\b{m}\b', tik + ' ' + enhanced)))
        body.append((src, dst, names[a], names[b], scales[scale], both, '' if relu == 'NO' else 'yes'))
    return table(['from', 'to', 'src', 'dst', '`deq_mode`', 'block modes', 'relu'], body)


def fix_pairs():
    at, names = numbers(ISA + 'fixpipe.def', 'FIX_MODE'), dtype_names()
    return table(['`quant_pre`', 'src', 'dst'], [(at[m], names[a], names[b]) for m, a, b in rows(ISA + 'fixpipe.def', 'FIX_PAIR')])


# ---- severity

# Warnings of sources by which flags of a kernel with flag 8 refuse a blob (runtime/blob/sync_explain.c).
QUEUES = ('sync-leftover', 'sync-overrun', 'race')


def severity():
    refused = {os.path.basename(f).split('-')[0] for f in glob.glob(os.path.join(isa_tables.ROOT, 'tests/blobs/refused/*'))}
    number = {id_: n for n, id_ in rows(ISA + 'rule_number.def', 'RULE_NUMBER')}
    body = []
    for id_, name, level, *_ in rows(ISA + 'rule.def', 'RULE'):
        if level == 'WARNING' and (number[id_] in refused or name in QUEUES):
            body.append((f'`{name}`', number[id_], 'yes' if number[id_] in refused else '', '`tikc verify`, *Queues*' if name in QUEUES else 'step on values'))
    return table(['rule', 'number', 'in the set', 'by'], body)


def refusing():
    """Warnings that refuse blobs."""
    return {re.search(r'`(.*?)`', line)[1] for line in severity()[2:-1]}


# ---- what only the checker knows

HEADS = {'alignment': ('align', ['instructions', 'operand', 'a multiple of']), 'bounds': ('bounds', ['instructions', 'operand', 'rule', 'decided']),
         'overlap': ('overlap', ['instructions', 'operands'])}


def answers(name):
    """The table, by the tool; None: it is not built."""
    word, heads = HEADS[name]
    if not os.path.exists(TOOL):
        return None
    lines = subprocess.run([TOOL, word], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    return table(heads, [])[:-1] + lines + ['']


TABLES = {'further': further, 'paths': paths, 'blockmodes': block_modes, 'codes': codes, 'accpairs': acc_pairs, 'fixpairs': fix_pairs, 'severity': severity}


def page(check):
    """The page as it is, with its tables. What the tool says is left as it is where nothing is written (tests/tables/blob_rules.py compares it)."""
    text = read(PAGE)
    for name in re.findall(r'<!-- table: (\w+) -->', text):
        lines = TABLES[name]() if name in TABLES else None if check else answers(name)
        if lines is not None:
            mark = f'<!-- table: {name} -->\n'
            before, after = text.split(mark)
            text = before + mark + '\n' + '\n'.join(lines) + re.sub(r'\A\n(?:\|[^\n]*\n)*\n*', '\n', after)
    return text.rstrip('\n') + '\n'
