"""The numbers of the format, read from docs/blob-tables.md."""
import os
import re
import struct

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs/blob-tables.md')
with open(PAGE, encoding='utf-8') as _f:
    TEXT = _f.read()


def table(head):
    """Rows of the first table after a heading, as lists of texts."""
    part = re.split(r'\n#+ ', TEXT[TEXT.index(f'\n## {head}\n') + 4:] if f'\n## {head}\n' in TEXT else TEXT[TEXT.index(f'\n### {head}\n') + 5:])[0]
    return cells(part)


def cells(part):
    lines = [[c.strip().strip('`') for c in re.split(r'(?<!\\)\|', line)[1:-1]] for line in part.split('\n') if line.startswith('|')]
    return lines[2:]


DTYPES = {int(r[0]): (r[1], int(r[2]), r[3]) for r in table('Dtypes')}
SIZE = {name: size for name, size, _ in DTYPES.values()}
SCOPES = {r[1]: (int(r[0]), *map(int, r[2:])) for r in table('Memories')}   # number, unit, alignment, of wider elements
SCOPE_NAMES = {v[0]: k for k, v in SCOPES.items()}
FEATURES = {r[0]: {int(n) for n in r[1].split()} for r in table('Features of cores')}
REGISTERS = {r[1]: (int(r[0]), r[3]) for r in table('Special registers')}
READINGS = {}
for _r in table('Readings of uncertain points'):
    READINGS.setdefault(_r[0], []).append((int(_r[2]), 'only reading' not in _r[4]))
OPERATIONS = {int(r[0]): (r[1], int(r[2])) for r in table('Scalar operations')}
PATHS = {(r[0], r[1]): r[2] for r in table('Paths of moves')}
ATOMICS = {int(r[0]): (r[1], {int(n) for n in r[2].split()}, {int(n) for n in r[3].split()}) for r in table('Modes of atomic writes')}


class Operand:
    def __init__(self, row):
        kind, _, count = row[1].partition(' x ')
        self.name, self.kind, self.count, self.dtype, self.note, self.rule = row[0], kind, int(count or 1), row[2], row[6], row[5]
        self.range = tuple(int(v) for v in re.findall(r'-?\d+', row[3])) if re.fullmatch(r'-?\d+ to \d+', row[3]) else None
        self.is_tensor = kind in ('reads', 'writes', 'names')


class Instruction:
    def __init__(self, number, name, part):
        self.number, self.name = number, name
        self.family = re.search(r'Family \[(\w+)', part)[1]
        self.operands = [Operand(r) for r in cells(part)]
        self.masked = any(o.kind == 'mask' for o in self.operands)


INSTRUCTIONS = {int(m[1]): Instruction(int(m[1]), m[2], m[3])
                for m in re.finditer(r'^### (\d+) `([\w.]+)`\n(.*?)(?=^### |\Z)', TEXT, re.M | re.S)}


def records():
    """{platform: (TARG, bytes of its memories by name, feature of its own)}"""
    align = struct.pack('<8H', *(SCOPES[s][2] for s in list(SCOPES)[:8])), struct.pack('<8H', *(SCOPES[s][3] for s in list(SCOPES)[:8]))
    tail = b''.join(align) + struct.pack('<5I', 4095, 65535, 255, 32, 256)
    found = {}
    rows = cells(TEXT.split('\n## Processors\n')[1].split('\n## ')[0].split('\nOf processors with lanes')[0])
    for name, *r in rows:
        n = [int(v) for v in r[:13]]
        found[name] = (struct.pack('<24s13I', name.encode(), *n) + tail, dict(zip(('UB', 'L1', 'L0A', 'L0B', 'L0C', 'BT', 'FB'), n[5:12])), r[13])
    for name, *r in cells(TEXT.split('\nOf processors with lanes')[1].split('\n## ')[0]):
        n = [int(v) for v in r[:7]]
        found[name] = (struct.pack('<24s13I', name.encode(), *n[:3], 0, 0, *n[3:7], 0, 0, 0, int(r[14])) + tail, {'LMEM': n[4], 'SMEM': int(r[14])}, '')
    return found


PROCESSORS = records()
