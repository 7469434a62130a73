"""Makes docs/blob-tables.md, the numbers of the blob format, and the generated tables of docs/blob-format.md, for gen-docs.py."""
import os
import re

import isa_tables
from isa_tables import rows

ISA = 'runtime/isa/'
ROLES = {'DST': 'writes', 'SRC': 'reads', 'ROOT': 'names', 'MASK': 'mask', 'REPEAT': 'repeats', 'INT': 'number', 'SCALAR': 'scalar', 'ATTR': 'attribute',
         'PIPE': 'queue', 'MASKMODE': ''}


def read(path):
    with open(os.path.join(isa_tables.ROOT, path), encoding='utf-8') as f:
        return f.read()


def table(heads, body):
    lines = ['| ' + ' | '.join(heads) + ' |', '|' + '---|' * len(heads)]
    return lines + ['| ' + ' | '.join(str(c).replace('|', '\\|') for c in row) + ' |' for row in body] + ['']


def numbers(path, macro):
    return {r[0]: i for i, r in enumerate(rows(path, macro))}


def plain(value):
    return {'INT32_MAX': '2147483647', 'UINT32_MAX': '4294967295', 'INT64_MAX': '2^63-1', 'INT64_MIN': '-2^63'}.get(value, value)


def dtypes():
    body = [(i + 1, f'`{name}`', bytes_, kind.lower()) for i, (_, name, bytes_, kind) in enumerate(rows(ISA + 'dtype.def', 'DTYPE'))]
    return ['## Dtypes', '', 'Two elements of int4 or uint4 share a byte, the even one in its low half; only operands have these types. Registers, and so LOAD, STORE and ALU, have the types 1 to 12; arguments and regions have these and float64.', ''] \
        + table(['number', 'dtype', 'bytes', 'kind'], body)


def scopes():
    body = [(i, name, alloc, align, align32) for i, (_, name, _, alloc, align, align32) in enumerate(rows(ISA + 'scope.def', 'SCOPE'))]
    return ['## Memories', '', 'The unit of allocation divides the address of a region; the alignments are those of an operand\'s address for elements of up to 16 bits and for wider '
            'ones. A region of LMEM begins at a multiple of 1, and SREG has 192 bytes, VREG 32 registers of 256 bytes.', ''] \
        + table(['number', 'memory', 'unit of allocation', 'alignment', 'of wider elements'], body)


def simple():
    out = ['## Groups of arguments', ''] + table(['number', 'group'], [(i, r[1]) for i, r in enumerate(rows(ISA + 'argrole.def', 'ARGROLE'))])
    out += ['## Queues', '', 'An operand of kind *queue* is one of these numbers; 7 means all queues.', '']
    out += table(['number', 'queue'], [(i, r[1]) for i, r in enumerate(rows(ISA + 'pipe.def', 'PIPE'))])
    out += ['## Forms of masks', ''] + table(['number', 'words', 'meaning'], [
        (0, 1, 'count: lanes 0 to the number less 1'), (1, 2, 'two words of bits: lanes 0 to 63, then lanes 64 to 127; bit i is lane i'),
        (2, 4, 'four words of bits, of 8-bit elements: lanes 0 to 63, 64 to 127, 128 to 191, 192 to 255'),
        (3, 1, 'counter: a number of elements in all; repeats follow from it and repeat_times is not used')])
    return out


def processors():
    profiles = ['V100', 'V200', 'V220', 'V300', 'NANO', 'LMEM']
    kinds = {c[0]: i for i, c in enumerate(isa_tables.cores())}
    out = ['## Cores', '', 'The number is the core kind of the header and of TARG. A core that is *like* another has its instructions.', '']
    out += table(['number', 'id', 'family', 'core', 'profile', 'like'],
                 [(i, c[0], c[1], c[2], profiles.index(c[3]), kinds[c[4]]) for i, c in enumerate(isa_tables.cores())])
    named = isa_tables.cores()
    body = []
    for id_, where, meaning in rows(ISA + 'feature.def', 'FEATURE'):
        mask = isa_tables.core_set(where)
        have = [str(i) for i in range(len(named)) if mask >> i & 1]
        body.append((id_, ' '.join(have), meaning))
    out += ['### Features of cores', '', 'Properties by which rules and meanings differ. PATHS_950 belongs to the processors that name it below.', ''] + table(['feature', 'cores', 'meaning'], body)
    out += ['## Processors', '', 'The fields of TARG by processor; the numbers of memories are bytes.', '']
    body = []
    for name, _, core, n, cube, vector, *rest in rows(ISA + 'soc.def', 'SOC'):
        body.append((name, kinds[core], profiles.index(named[kinds[core]][3]), n, cube, vector, *rest[:8], rest[8] if rest[8] != 'NONE' else ''))
    out += table(['platform', 'core kind', 'profile', 'AI cores', 'cube cores', 'vector cores', 'UB', 'L1', 'L0A', 'L0B', 'L0C', 'BT', 'FB', 'L2', 'feature'], body)
    out += ['Of processors with lanes bytes 44 to 59 of TARG are the lanes, bytes of one lane, bytes of its arithmetic units (EU) and banks; bytes 60 to 71 are 0, and L2 is that of SMEM. Their LMEM has the bytes of a lane; EU is its '
            'granule. The other columns are what packed constants and convolutions need.', '']
    body = [(name, kinds[core], 5, n, lanes, lane, eu, banks, *rest) for _, name, core, n, lanes, eu, lane, banks, *rest in rows(ISA + 'lmem_soc.def', 'LMEM_SOC')]
    out += table(['platform', 'core kind', 'profile', 'AI cores', 'lanes', 'lane', 'EU', 'banks', 'P of 8 bits', 'P of 16 bits', 'P of 32 bits', 'strides count', 'words of requantisation',
                  'words aligned', 'depthwise aligned', 'SMEM', 'most elements of an axis'], body)
    out += ['The rest of TARG is the same for all: alignments of the table of memories, then 4095, 65535, 255, 32, 256.', '']
    return out


def registers():
    body = [(at, id_, holds, start, meaning) for id_, at, holds, start, meaning in rows(ISA + 'sreg.def', 'SREG') if id_ != 'BYTES']
    return ['## Special registers', '', 'Offsets in the memory SREG, 192 bytes of each core.', ''] + table(['offset', 'register', 'holds', 'at the start', 'meaning'], body)


def choices():
    body = []
    for point, n, _, name, text in rows(ISA + 'choice.def', 'READING'):
        body.append((point, int(n), name, text))
    points = {r[0]: (r[1], r[3]) for r in rows(ISA + 'choice.def', 'CHOICE')}
    fixed = {r[0] for r in rows(ISA + 'choice.def', 'ONE_READING')}
    out = ['## Readings of uncertain points', '', 'Records of CHCE are in the order of this table; reading 0 is the usual one and never written.', '']
    return out + table(['point', 'question', 'reading', 'name', 'meaning'],
                       [(points[p][0], points[p][1], n, name, text + (' (the only reading)' if p in fixed else '')) for p, n, name, text in body])


def operations():
    text = read(ISA + 'scalar.def')
    notes = {m[1]: m[2] for m in re.finditer(r'SCALAR_OP\((\w+),[^\n]*?\)\s*/\* (.*?) \*/', text)}
    body = [(i, name, n, notes.get(id_, '').replace(', see scalar.h', '')) for i, (id_, name, n, _) in enumerate(rows(ISA + 'scalar.def', 'SCALAR_OP'))]
    return ['## Scalar operations', '', 'What byte 2 of an ALU descriptor names; docs/meaning.md has their values. `shl` to `not` are of integers and bool, `cast` is between two dtypes that differ, `bits` between two (the same one too) with equally many bytes; the others are of all dtypes of registers.', ''] + table(['number', 'operation', 'operands', 'note'], body)


def paths():
    cores = isa_tables.cores()
    body = []
    for src, dst, pipe, where, _ in rows(ISA + 'path.def', 'PATH'):
        mask = isa_tables.core_set(where)
        body.append((src, dst, pipe, ' '.join(str(i) for i in range(len(cores)) if mask >> i & 1)))
    return ['## Paths of moves', '', 'The queue of a move from one memory to another, and the cores that have data_move there. Processors with PATHS_950 have L1 to UB and back too.', ''] + \
        table(['from', 'to', 'queue', 'cores'], body)


def atomics():
    cores = isa_tables.cores()

    def where(e):
        mask = isa_tables.core_set(e)
        return ' '.join(str(i) for i in range(len(cores)) if mask >> i & 1)
    names = {r[0]: r[1] for r in rows(ISA + 'dtype.def', 'DTYPE')}
    body = [(mode, names[dt], where(add), where(extreme)) for mode, dt, add, extreme in rows(ISA + 'atomic.def', 'ATOMIC')]
    return ['## Modes of atomic writes', '', 'The register ATOMIC is mode + 256 * operation: 0 addition, 1 maximum, 2 minimum.', ''] + \
        table(['mode', 'dtype', 'cores with addition', 'cores with maximum and minimum'], body)


OWN_HEADS = {'MOVE': '4.1 ', 'REGISTER': '4.2 ', 'CONTROL': '11 '}


def section_of(family):
    """A link to what docs/meaning.md says of a family."""
    for head in re.findall(r'^#+ (.*)$', read('docs/meaning.md'), re.M):
        if head.startswith(OWN_HEADS.get(family, '\n')) or family not in OWN_HEADS and re.search(rf'\b[Ff]amil(?:y|ies)\b.*\b{family}\b', head):
            return '[%s](meaning.md#%s)' % (family, re.sub(r'[^\w -]', '', head.lower()).replace(' ', '-'))
    raise SystemExit(f'docs/meaning.md has no section on the family {family}')


def instruction(number, row, forms, rules):
    _, name, form, types, pipe, _, meaning = row
    _, family, main, operands, links = forms[form]
    linked = {}
    for kind, args in links:
        if kind == 'BLK_OF':
            linked[args[1]] = f'block stride of {args[0]}' + ('' if args[2] in ('0', 'false') else ', of which 0 counts as 1 where it is no gap')
        elif kind == 'REP_OF':
            linked[args[1]] = f'repeat stride of {args[0]}'
    laned = {args[0] for kind, args in links if kind == 'LANED'}
    body, slot = [], 0
    for count, pname, role, of, lo, hi, unit, rule, dflt in operands:
        ranged = rule != 'NONE' and role in ('INT', 'REPEAT', 'ATTR')
        kind = ROLES[role] or 'mask mode, not coded'
        kind += f' x {count}' if count > 1 else ''
        note = '; '.join(n for n in [linked.get(pname, ''), 'vector lanes' if pname in laned else '', 'the main operand' if pname == main else ''] if n)
        dtype = {'NONE': '', 'MAIN': 'main', 'ANY': 'any'}.get(of, of)
        body.append((f'`{pname}`', kind, dtype, f'{plain(lo)} to {plain(hi)}' if ranged else '', unit, f'`{rules[rule]}`' if rule in rules and rule != 'NONE' else '', note))
        slot += count
    out = [f'### {number} `{name}`', '', f'Family {section_of(family)}, queue {pipe if pipe != "PATH" else "of the path"}: {meaning}.', '']
    return out + (table(['operand', 'kind', 'dtype', 'range', 'unit', 'rule', 'note'], body) if body else ['No operands.', ''])


def instructions():
    forms = isa_tables.forms()
    rules = {r[0]: r[1] for r in rows(ISA + 'rule.def', 'RULE')}
    out = ['## Instructions', '', 'The number is the row that bits 0 to 11 of an instruction name. Operands are coded in the order of the rows: *writes*, *reads* and *names* are '
           'operands of 8 bytes (*names*: the region is named, and nothing is accessed), a *mask* has the words of its form, everything else is one number; `x n` is n of them in a row. Their dtype: *main* is that of the main '
           'operand, *any* is left to the rules of the family, BITS an unsigned integer of any width; of attributes BOOL is 0 or 1, ROUND a rounding mode (0 none, 1 round, 2 floor, 3 ceil, 4 away-zero, 5 to-zero, 6 odd), SIDE 0 left or 1 right. Which '
           'processors have an instruction for which dtypes is in [support-matrix.md](support-matrix.md), which pairs of dtypes with which rounding modes in '
           '[instructions.md](instructions.md); both are normative. What they compute is in [meaning.md](meaning.md).', '']
    for i, row in enumerate(rows(ISA + 'op.def', 'OP')):
        out += instruction(i, row, forms, rules)
    return out


def page():
    out = ['# Numbers of the blob format', '',
           'Made by `make docs` from the tables of `runtime/isa/`. This page is normative and belongs to [blob-format.md](blob-format.md): rows are never renumbered, and new ones come at the '
           'end of their table in a later minor version.', '']
    for part in (dtypes, scopes, simple, processors, registers, choices, operations, paths, atomics, instructions):
        out += part()
    return '\n'.join(out).rstrip('\n') + '\n'


def rules_of_blobs():
    """{head of a group: its table}"""
    found, head = {}, None
    for line in read('runtime/blob/blob_rule.def').split('\n'):
        m = re.match(r'/\* (P\d.*?|Signatures)(?:, in addition.*)? \*/', line)
        if m:
            head = m[1]
            found[head] = ['| number | code | rule |', '|---|---|---|']
        m = re.match(r'BLOB_RULE\(\w+, (\d+), "([^"]*)", "(.*)"\)', line)
        if m:
            found[head].append(f'| {m[1]} | `{m[2]}` | {m[3]} |')
    return found


# ---- the worked example

HEADER = [(8, 'magic'), (2, 'major version'), (2, 'minor version'), (4, 'size of the header'), (8, 'size of the file'), (4, 'sections'), (4, 'offset of the section table'),
          (4, 'core kind'), (4, 'CRC-32C of TARG'), (8, 'required features'), (8, 'optional features'), (4, 'CRC-32C of the section table'), (4, 'CRC-32C of bytes 0 to 59')]
FIELDS = {
    'TARG': [(24, 'platform'), (4, 'core kind'), (4, 'profile'), (12, 'AI cores, cube cores, vector cores'), (28, 'bytes of UB, L1, L0A, L0B, L0C, BT, FB'), (4, 'L2'), (16, 'alignments'),
             (16, 'alignments of wider elements'), (20, 'limits of moves and repeats, block, repeat')],
    'KERN': [(4, 'name'), (8, 'slots in CODE: first, number'), (4, 'descriptors'), (8, 'arguments: first, number'), (8, 'regions: first, number'), (8, 'registers, loop slots'), (4, 'cores'), (4, 'flags'),
             (8, 'steps'), (28, 'peaks of UB to FB'), (4, 'reserved'), (8, 'peaks of LMEM and SMEM')],
    'ARGS': [(4, 'name'), (4, 'dtype, group, dimensions, flags'), (8, 'elements'), (64, 'dimensions'), (8, 'preset')],
    'REGN': [(4, 'name'), (4, 'memory, dtype, kind, open'), (8, 'address or argument'), (8, 'bytes')],
}


def hexed(raw):
    text = raw.hex(' ')
    return text if len(raw) <= 24 else raw[:16].hex(' ') + ' ... ' + raw[-4:].hex(' ')


def records(name, data, record, at):
    """(offset, bytes, meaning) of a section."""
    if name in FIELDS:
        for n in range(0, len(data), record):
            place = n
            for size, text in FIELDS[name]:
                yield at + place, data[place:place + size], f'{name} {n // record}: {text}' if size else ''
                place += size
    elif name == 'STRS':
        place = 0
        for s in data.split(b'\0')[:-1]:
            yield at + place, data[place:place + len(s) + 1], f'string {place}'
            place += len(s) + 1
    elif name == 'AFFN':
        for n in range(0, len(data), 16):
            yield at + n, data[n:n + 16], f'row {n // 16}: ' + ('head, region %d, %d terms' % (data[n + 4], data[n + 1]) if data[n] == 1 else 'term')
    else:
        yield at, data, name


def code_rows(data, at):
    names = [r[1] for r in rows(ISA + 'op.def', 'OP')]
    classes = ['', 'LOOP', 'ENDLOOP', 'IF', 'ELSE', 'ENDIF', 'BREAK', 'CONTINUE', 'RETURN', 'ALU', 'LOAD', 'STORE', '']
    place = number = 0
    while place < len(data):
        slots, kind = data[place], data[place + 1]
        word = int.from_bytes(data[place + 2:place + 4], 'little')
        name = classes[kind] or names[word & 0xfff]
        for i in range(slots):
            yield at + place + 16 * i, data[place + 16 * i:place + 16 * i + 16], f'descriptor {number}: {name}, {slots} slots' if i == 0 else ''
        place += 16 * slots
        number += 1


def example():
    with open(os.path.join(isa_tables.ROOT, 'tests/blobs/accepted/example.tkb'), 'rb') as f:
        blob = f.read()
    found, at = [], 0
    for size, text in HEADER:
        found.append((at, blob[at:at + size], text))
        at += size
    sections = []
    for i in range(blob[24]):
        e = blob[at:at + 32]
        sections.append((e[:4].decode(), int.from_bytes(e[8:16], 'little'), int.from_bytes(e[16:24], 'little'), int.from_bytes(e[24:28], 'little')))
        found += [(at, e[:16], f'entry of {sections[-1][0]}: name, flags, alignment, offset {sections[-1][1]}'), (at + 16, e[16:], 'size, record, CRC-32C')]
        at += 32
    for name, start, size, record in sections:
        if start != at:
            found.append((at, blob[at:start], 'zeros up to the next section'))
        data = blob[start:start + size]
        found += list(code_rows(data, start) if name == 'CODE' else records(name, data, record, start))
        at = start + size
    text = read('tests/blobs/accepted/example.txt')
    return ['```', text.rstrip('\n'), '```', ''] + table(['offset', 'bytes', 'meaning'], [(a, f'`{hexed(b)}`', t) for a, b, t in found])
