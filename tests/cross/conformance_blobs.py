#!/usr/bin/python3
"""The conformance set of the blob format (tests/blobs): it is what its texts give, the loader, the verifier and the emulator answer as it says,
each number of the rules and each instruction of docs/blob-tables.md is used, and tools/tkbread, which knows nothing but the document, lists,
refuses and computes the same. Ends with 'N passed, N failed'.
usage: conformance_blobs.py [--match TEXT]"""
import gzip
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa

BLOBS = os.path.join(ROOT, 'tests/blobs')
sys.path.append(os.path.join(ROOT, 'tools/tkbread'))
import reader  # noqa: E402

# No blob breaks them alone: tests/blobs/README.md says why.
WITHOUT = {801, 807, 813, 901, 902}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def rules():
    """{number: code} of the normative text; those of instructions have numbers from 1000 on."""
    found = re.findall(r'^\| (\d{3}) \| `([\w-]+)` \|', read('docs/blob-format.md'), re.M)
    found += [(n, name) for name, n, _ in instruction_rules()]
    return {int(n): code for n, code in found}


def instruction_rules():
    """(name, number, level)"""
    return re.findall(r'^\| <a id=[^`]*`([\w-]+)` \| (\d{4}) \| (\w+)[^|]*\|', read('docs/diagnostics.md'), re.M)


def without_blob():
    """Names of rules of instructions that have none, as instructions.tsv says."""
    return set(re.findall(r'^([\w-]+)\tnone$', read('tests/blobs/instructions.tsv'), re.M))


def instructions():
    return re.findall(r'^### \d+ `([\w.]+)`$', read('docs/blob-tables.md'), re.M)


def unused():
    """What the document has and no blob uses."""
    text = ''.join(read(f'tests/blobs/accepted/{f}') for f in os.listdir(f'{BLOBS}/accepted') if f.endswith('.txt'))
    words = set(re.findall(r'^ *([\w.]+) ', text, re.M)) | set(re.findall(r'^ *r\d+ = (\w+) ', text, re.M))
    numbers = {int(f.split('-')[0]) for f in os.listdir(f'{BLOBS}/refused')}
    all_numbers = re.findall(r'^\| (\d{3}) \| `[\w-]+` \|', read('docs/blob-format.md'), re.M)
    if len(set(all_numbers)) != len(all_numbers) or sorted(all_numbers) != all_numbers:
        yield 'a number of a rule that is there twice, or out of its order, so none'
    levels, none = {name: level for name, _, level in instruction_rules()}, without_blob()
    for number, code in rules().items():
        optional = levels.get(code) == 'warning'
        if (number in numbers) == (number in WITHOUT or code in none) and not optional:
            yield f'rule {number} {code}'
    told = {re.escape(name).replace('\\*', r'\w+') for name in re.findall(r'`([\w.*]+)`', read('docs/meaning.md'))}
    for name in instructions():
        if name not in words:
            yield f'instruction {name}'
        if not any(re.fullmatch(pattern, part) for pattern in told for part in (name, name.split('.')[0])):
            yield f'{name}: not in docs/meaning.md, and so'
    operations = re.findall(r'^\| \d+ \| (\w+) \| [12] \|', read('docs/blob-tables.md').split('## Scalar operations')[1].split('##')[0], re.M)
    for name in operations:
        if name not in words:
            yield f'operation {name}'
    for head, pattern in (('Dtypes', r'\b{}\['), ('Memories', r'^region \d+ "[^"]*" {} '), ('Groups of arguments', r'^arg "[^"]*" {} ')):
        for name in re.findall(r'^\| \d+ \| `?(\w+)`? \|', read('docs/blob-tables.md').split(f'## {head}\n')[1].split('##')[0], re.M):
            if not re.search(pattern.format(name), text, re.M):
                yield f'{head}: {name}'
    for word in ('loop', 'if', 'else', 'break', 'continue', 'return', 'load', 'store', 'choice', 'frame'):
        if word not in words and not re.search(rf'^ *{word}$', text, re.M):
            yield f'control {word}'
    for part in ('ordered', 'fill', 'any', 'queues'):
        if not re.search(rf'^kernel .* {part}\b', text, re.M):
            yield f'flag {part}'
    for part in (' preset ', ' list ', ' table bytes', ' open', 'mask=count(', 'mask=bits(', 'mask=bits4(', 'mask=counter(', ' checked '):
        if part not in text:
            yield part


def plain(path, folder):
    """The path of a blob that is not compressed."""
    if not path.endswith('.gz'):
        return path
    with open(path, 'rb') as f, open(os.path.join(folder, 'blob.tkb'), 'wb') as out:
        out.write(gzip.decompress(f.read()))
    return out.name


def ours(path):
    """The code of our refusal, or 'accepted'."""
    p = subprocess.run([TIKC, 'verify', path], capture_output=True, text=True)
    found = re.search(r'is refused: ([\w-]+):', p.stderr)
    return found[1] if found else 'accepted' if p.returncode == 0 else p.stderr


# Refused by rules that tkbread says it does not decide: ranges of registers, bounds, rules on instructions, the parts of PACK.
UNDECIDED = {'516-rows', '516-dtype-0', '516-dtype-13', '516-more-channels', '516-nibbles-of-float', '516-no-channels', '516-table-dtype',
             '516-too-large', '516-shorter-table', '516-four-gib', '812-offset'}
# The rules of instructions that it decides.
DECIDED = {'base-addr-range', 'block-stride-range', 'channel-range', 'csize', 'element-count-range', 'is-bias', 'mlen-align', 'mode-number-range', 'pattern-range',
           'pattern-stride', 'range-burst', 'range-c1', 'range-fetch', 'range-gap', 'range-index', 'range-jump', 'range-l1hw', 'range-lefttop',
           'range-nburst', 'range-nd2nz', 'range-padding', 'range-sid', 'range-stride', 'repeat-range', 'repeat-stride-range', 'shape-mismatch',
           'slice-fit'}
# Blobs with kernels that tkbread says it does not execute.
NOT_EXECUTED = set()


def second_refused(name, data, codes):
    """What is wrong with tkbread's answer to a refused blob, or None."""
    number, undecided = reader.check(data)
    short = name.split('.')[0]
    if short in UNDECIDED:
        return None if number is None and undecided else f'tkbread: {number}, and it is in UNDECIDED'
    number_of = int(short.split('-')[0])
    if number_of > 1000 and codes[number_of] not in DECIDED:
        return None if number is None and undecided else f'tkbread: {number}, and the rule is not in DECIDED'
    want = codes[number_of] if number_of > 1000 else number_of
    return None if number == want else f'tkbread: {number}, expected {want}'


def body(text):
    """Lines of the descriptors without places, calls and names."""
    found, inside = [], False
    for line in text.split('\n'):
        inside = (inside or line == 'code') and line != 'end'
        if inside and line != 'code':
            found.append(re.split(r' @ "| in \d+| named "', line.strip())[0])
    return found


def second_accepted(name):
    """What is wrong with tkbread's answers to an accepted blob."""
    path = f'{BLOBS}/accepted/{name}'
    data = reader.read(path + '.tkb')
    number, _ = reader.check(data)
    if number is not None:
        yield f'tkbread refuses it by {number}'
        return
    mine = [reader.descriptor(d) for k in reader.Blob(data).kernel for d in k.code_list]
    theirs = body(subprocess.run([TIKC, 'disasm', path + '.tkb'], capture_output=True, text=True).stdout)
    for a, b in zip(mine, theirs):
        if a != b:
            yield f'tkbread lists {a}, we {b}'
            break
    if len(mine) != len(theirs):
        yield f'tkbread lists {len(mine)} descriptors, we {len(theirs)}'
    yield from second_run(name, path, data)


def second_run(name, path, data):
    given = reader.read(path + '.in') if os.path.exists(path + '.in') else b''
    want = reader.arrays(reader.read(path + '.out')) if os.path.exists(path + '.out') else []
    faults = dict(line.split() for line in open(path + '.fault')) if os.path.exists(path + '.fault') else {}
    left_out, got = False, []
    for kernel, kind, what in reader.execute(data, given):
        left_out |= kind == 'not executed'
        if kind == 'outputs':
            got += what
        if kind == 'fault' and faults.get(kernel) != what or kind == 'outputs' and kernel in faults:
            yield f'tkbread ends {kernel} with {kind} {what if kind == "fault" else ""}, expected {faults.get(kernel, "outputs")}'
    if not left_out and got != want:
        yield 'tkbread computes other bytes'
    if left_out != (name in NOT_EXECUTED):
        yield 'tkbread executes it, but it is in NOT_EXECUTED' if not left_out else 'tkbread does not execute it, and it is not in NOT_EXECUTED'


def expected(name, codes):
    return codes[int(name.split('-')[0])]


def main():
    match = sys.argv[2] if len(sys.argv) == 3 else ''
    codes, passed, bad = rules(), 0, [f'{what}: used by no blob' for what in unused()]
    made = subprocess.run([sys.executable, f'{BLOBS}/make.py', '--check'], capture_output=True, text=True)
    if made.returncode:
        bad.append(made.stdout + made.stderr)
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(os.listdir(f'{BLOBS}/refused')):
            if match not in name:
                continue
            got, want = ours(plain(f'{BLOBS}/refused/{name}', folder)), expected(name, codes)
            second = second_refused(name, reader.read(f'{BLOBS}/refused/{name}'), codes)
            passed += got == want and not second
            if got != want or second:
                bad.append(f'{name}: {got}, expected {want}; {second}')
        first = {code for number, code in codes.items() if number < 800}
        for name in sorted(os.listdir(f'{BLOBS}/inside')):
            got, second = ours(f'{BLOBS}/inside/{name}'), reader.check(reader.read(f'{BLOBS}/inside/{name}'))[0]
            wrong = got in first or second in codes and second < 800
            passed += not wrong
            if wrong:
                bad.append(f'{name}: {got}, tkbread: {second}')
        for name in sorted(f[:-4] for f in os.listdir(f'{BLOBS}/accepted') if f.endswith('.txt') and match in f):
            wrong = list(second_accepted(name))
            passed += not wrong
            bad += [f'{name}: {w}' for w in wrong]
    print('\n'.join(bad))
    print(f'{passed + (made.returncode == 0)} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
