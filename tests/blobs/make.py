#!/usr/bin/python3
"""Makes the conformance set of the blob format from its texts: tests/blobs (README.md there says what is what).

usage: make.py                       everything anew: `make blobs`
       make.py --check               says which files differ from what would be made; ends with 'N passed, N failed'
       make.py --add NAME TEXT|BLOB [ARGUMENT=FILE.npy]...   one more accepted blob, then everything of it"""
import gzip
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from paths import TIKC  # noqa
import refused  # noqa: E402
from container import Parts  # noqa: E402

NUMPY = {'bfloat16': 'uint16', 'float64': 'float64', 'bool': 'bool'}
ARG = re.compile(r'^arg "((?:[^"\\]|\\.)*)" (\w+) (\w+) \(([\d, ]*)\)( preset \S+)?( open)?', re.M)


def tikc(*args, code=0):
    p = subprocess.run([TIKC, *args], capture_output=True, text=True)
    if p.returncode != code:
        raise SystemExit('tikc %s: exit code %d\n%s%s' % (' '.join(args), p.returncode, p.stdout, p.stderr))
    return p.stdout + p.stderr


def read(name, mode='rb'):
    with open(os.path.join(HERE, name), mode) as f:
        return f.read()


def kernels(text):
    """[(name, [(argument, group, dtype, elements, open)])] of a text."""
    out = []
    for part in re.split(r'^kernel ', text, flags=re.M)[1:]:
        args = [(m[1], m[2], m[3], int(np.prod([int(n) for n in m[4].split(',')])), bool(m[6])) for m in ARG.finditer(part)]
        out.append((part.split('"')[1], args))
    return out


def arrays(raw):
    """The byte strings of a file of arrays."""
    out, at = [], 0
    while at < len(raw):
        n = struct.unpack_from('<Q', raw, at)[0]
        out.append(raw[at + 8:at + 8 + n])
        at += 8 + n
    return out


def pack(strings):
    return b''.join(struct.pack('<Q', len(s)) + s for s in strings)


def asm(text, folder):
    path = os.path.join(folder, 'b.txt')
    with open(path, 'w') as f:
        f.write(text)
    tikc('asm', path, '-o', path[:-4] + '.tkb')
    with open(path[:-4] + '.tkb', 'rb') as f:
        return f.read()


def save(path, dtype, raw):
    np.save(path, np.frombuffer(raw, NUMPY.get(dtype, dtype)))


def run(blob, kernel, given, folder):
    """The outputs of one kernel, or the rule that its run broke. given: the arrays before it."""
    name, args = kernel
    command = [TIKC, 'run', blob, '--backend', 'emu', '--kernel', name]
    at, outs = 0, []
    for arg, group, dtype, n, is_open in args:
        count = n if group == 'list' else 1
        for i in range(count):
            path = os.path.join(folder, f'{at}.npy')
            if given[at]:
                save(path, 'uint8' if group == 'list' else dtype, given[at])
                command += ['--in', f'{arg}={path}']
            at += 1
        if group == 'output':
            outs.append(os.path.join(folder, f'out{at}.npy'))
            command += ['--out', f'{arg}={outs[-1]}' + (f':{len(given[at - 1]) // np.dtype(NUMPY.get(dtype, dtype)).itemsize}' if is_open else '')]
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode == 5:
        return re.search(r'\[([a-z][a-z0-9-]+)\]$', p.stderr, re.M)[1]
    if p.returncode:
        raise SystemExit(f'{blob}: exit code {p.returncode}\n{" ".join(command)}\n{p.stderr}')
    return [np.load(o).tobytes() for o in outs]


def accepted(name, folder):
    """{file: bytes} of one accepted blob."""
    text = read(f'accepted/{name}.txt', 'r')
    made = {f'accepted/{name}.tkb': asm(text, folder)}
    path = os.path.join(folder, 'b.tkb')
    tikc('verify', path)
    all_kernels = kernels(text)
    slots = [sum(n if g == 'list' else 1 for _, g, _, n, _ in args) for _, args in all_kernels]
    source = os.path.join(HERE, f'accepted/{name}.in')
    given = arrays(read(f'accepted/{name}.in')) if os.path.exists(source) else [b''] * sum(slots)
    outs, faults, at = [], [], 0
    for kernel, n in zip(all_kernels, slots):
        got = run(path, kernel, given[at:at + n], folder)
        at += n
        if isinstance(got, str):
            faults.append(f'{kernel[0]} {got}\n')
        else:
            outs += got
    if outs:
        made[f'accepted/{name}.out'] = pack(outs)
    if faults:
        made[f'accepted/{name}.fault'] = ''.join(faults).encode()
    return made


def changed(base, change):
    p = Parts(base)
    if change in ('gap', 'crc', 'id'):
        blob = bytearray(p.blob())
        entry = {'gap': 'KERN', 'crc': 'CODE', 'id': 'IDNT'}[change]
        at = struct.unpack_from('<Q', blob, 64 + 32 * p.index(entry) + 8)[0] - (change == 'gap')
        blob[at] ^= 1
        return bytes(blob)
    change(p)
    return p.blob()


def broken():
    """(number, name, text) of the blobs that break rules of instructions, as instructions.tsv has them."""
    rows = re.findall(r'^RULE_NUMBER\((\d+), (\w+)\)', read('../../runtime/isa/rule_number.def', 'r'), re.M)
    numbers = {id_: number for number, id_ in rows}
    names = re.findall(r'^RULE\((\w+), "([\w-]+)"', read('../../runtime/isa/rule.def', 'r'), re.M)
    of_name = {name: numbers[id_] for id_, name in names}
    for row in read('instructions.tsv', 'r').splitlines():
        if row and not row.startswith('#'):
            name, base, index, *pairs = *row.split('\t'), ''
            if base == 'none':
                continue
            lines = read(f'accepted/{base}.txt', 'r').split('\n')
            at = lines.index('code') + 1 + int(index)
            for old, new in zip(pairs[::2], pairs[1::2]):
                if old not in lines[at]:
                    raise SystemExit(f'instructions.tsv: descriptor {index} of {base} has no {old}')
                lines[at] = lines[at].replace(old, new, 1)
            yield of_name[name.split('.')[0]], name.replace('.', '-'), '\n'.join(lines)


def all_refused(folder):
    made = {'refused/101-cut.tkb': read('accepted/base.tkb')[:63], 'refused/101-empty.tkb': b''}
    base = read('accepted/base.tkb')
    todo = [(n, name, base, c) for n, name, c in refused.CHANGES] + [(n, name, read(f'accepted/{of}.tkb'), c) for n, name, of, c in refused.OF_OTHERS]
    for number, name, blob, change in todo:
        made[f'refused/{number}-{name}.tkb'] = changed(blob, change)
    for number, name, text in [(n, name, refused.HEAD + t + 'end\n') for n, name, t in refused.TEXTS] + refused.WHOLE:
        made[f'refused/{number}-{name}.tkb'] = asm(text, folder)
    for number, name, text in broken():
        made[f'refused/{number}-{name}.tkb'] = asm(text, folder)
    for number, name, change in refused.INSIDE:
        made[f'inside/{number}-{name}.tkb'] = changed(base, change)
    for number, name, of, change in refused.INSIDE_TEXTS:
        made[f'inside/{number}-{name}.tkb'] = asm(change(read(f'accepted/{of}.txt', 'r')), folder)
    large = 'refused/401-large.tkb'
    made[large + '.gz'] = gzip.compress(made.pop(large), 9, mtime=0)
    return made


def names():
    return sorted(f[:-4] for f in os.listdir(os.path.join(HERE, 'accepted')) if f.endswith('.txt'))


def everything(folder):
    for name in names():
        yield from accepted(name, folder).items()
    yield from all_refused(folder).items()


def same(path, raw):
    """Whether a file has these bytes; of compressed ones what is in them counts."""
    if not os.path.exists(path):
        return False
    old = read(path)
    return gzip.decompress(old) == gzip.decompress(raw) if path.endswith('.gz') else old == raw


def write(path, raw):
    if not same(os.path.join(HERE, path), raw):
        with open(os.path.join(HERE, path), 'wb') as f:
            f.write(raw)


def add(name, source, given, folder):
    text = read(os.path.abspath(source), 'r') if source.endswith('.txt') else tikc('disasm', source)
    if '@ "/' in text:
        sys.exit(f'{source}: its places have the path of a folder; compile the source by a name in its own folder')
    write(f'accepted/{name}.txt', text.encode())
    values = dict(g.split('=', 1) for g in given)
    before = []
    for _, args in kernels(text):
        for arg, group, _, n, _ in args:
            files = values.get(arg, '').split(',')
            before += [np.load(f).tobytes() if f else b'' for f in (files if group == 'list' else files[:1])]
    if any(before):
        write(f'accepted/{name}.in', pack(before))
    for path, raw in accepted(name, folder).items():
        write(path, raw)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if '--add' in sys.argv:
            return add(sys.argv[2], sys.argv[3], sys.argv[4:], folder)
        if '--check' not in sys.argv:
            for path, raw in everything(folder):
                write(path, raw)
            return 0
        made = dict(everything(folder))
    bad = [path for path, raw in made.items() if not same(os.path.join(HERE, path), raw)]
    there = {f'{d}/{f}' for d in ('accepted', 'refused', 'inside') for f in os.listdir(os.path.join(HERE, d)) if not f.endswith(('.txt', '.in'))}
    bad += sorted(there - set(made))
    for path in bad:
        print(f'{path}: not what make.py makes')
    print(f'{len(made) - len(set(bad) & set(made))} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
