"""What tkbread does: lists, checks and executes blobs."""
import gzip
import struct

import arithmetic
import machine
from blob import Address, Blob, Refused, verify


def read(path):
    with open(path, 'rb') as f:
        data = f.read()
    return gzip.decompress(data) if path.endswith('.gz') else data


def number(n):
    return str(n.value) if n.kind == 'imm' else 'core' if n.kind == 'core' else f'{"s" if n.kind == "loop" else "r"}{n.value}'


def argument(a, form=None):
    if isinstance(a, list):
        return ('count', 'bits', 'bits4', 'counter')[form] + '(' + ', '.join(number(n) for n in a) + ')'
    if isinstance(a, Address):
        return f'{a.dtype}[{a.region}, {a.offset}' + ''.join(f', {c}*{number(n)}' for c, n in a.terms) + ']'
    return number(a)


def descriptor(d):
    """As the text of the format has it, without places, calls and names."""
    checked = ['checked'] if d.checked else []
    if d.kind == 'instr':
        names = [f'{o.name}[{i}]' if o.count > 1 else o.name for o in d.op.operands if not o.kind.startswith('mask mode') for i in range(o.count)]
        return ' '.join([d.op.name] + checked + [f'{name}={argument(a, d.form)}' for name, a in zip(names, d.args)])
    values = [argument(a) for a in ([d.address] if d.address else []) + d.numbers]
    if d.kind == 'alu':
        return ' '.join([f'r{d.reg} = {d.op} {d.dtype}'] + ([d.source] if d.source else []) + values)
    if d.kind == 'load':
        return ' '.join([f'r{d.reg} = load'] + checked + values)
    return ' '.join([d.kind] + checked + ([f's{d.slot}'] if d.slot is not None else []) + (['='] if d.kind == 'loop' else []) + values)


def listing(blob):
    yield f'blob 1.{blob.minor} {blob.processor}'
    for point, reading in blob.readings.items():
        yield f'choice {point} {reading}'
    for k in blob.kernel:
        yield f'kernel {k.name} cores {k.cores} steps {k.steps} flags {k.flags}'
        for a in k.args:
            yield f'  arg {a["name"]} {a["group"]} {a["dtype"]} {a["elements"]}' + ('' if a['preset'] is None else f' preset {a["preset"]}') + (' open' if a['open'] else '')
        for i, r in enumerate(k.regions):
            yield f'  region {i} {r["name"]} {r["scope"]} {r["dtype"]} {r["kind"]} {r["base"]} bytes {r["bytes"]}' + (' open' if r['open'] else '')
        depth = 1
        for d in k.code_list:
            depth -= d.kind in ('endloop', 'else', 'endif')
            yield '  ' * depth + descriptor(d)
            depth += d.kind in ('loop', 'if', 'else')


def check(data):
    """(the number of the rule that refuses it or None, what was not decided)"""
    try:
        blob = Blob(data)
        undecided = set(blob.unjudged)
        if not blob.identity:
            raise Refused(212)
        for k in blob.kernel:
            undecided |= verify(blob, k)
    except Refused as e:
        return e.number, set()
    return None, undecided


def arrays(raw):
    found, at = [], 0
    while at < len(raw):
        n = struct.unpack_from('<Q', raw, at)[0]
        found.append(raw[at + 8:at + 8 + n])
        at += 8 + n
    return found


def execute(data, given):
    """For each kernel its name and its outputs, or the name of its fault, or what this reader does not execute."""
    blob = Blob(data)
    need = [sum(a['elements'] if a['group'] == 'list' else 1 for a in k.args) for k in blob.kernel]
    given = arrays(given) if given else [b''] * sum(need)
    for k, n in zip(blob.kernel, need):
        mine, given = given[:n], given[n:]
        try:
            kernel = machine.Machine(blob, k, mine)
            kernel.run()
            yield k.name, 'outputs', kernel.outputs()
        except machine.Fault as e:
            yield k.name, 'fault', e.rule
        except arithmetic.Unsupported as e:
            yield k.name, 'not executed', str(e)
