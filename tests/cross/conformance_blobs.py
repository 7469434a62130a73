#!/usr/bin/python3
"""The conformance set of the blob format (tests/blobs): it is what its texts give, the loader, the verifier and the emulator answer as it says,
and each number of the rules and each instruction of docs/blob-tables.md is used. Ends with 'N passed, N failed'.
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
# No blob breaks them alone: tests/blobs/README.md says why.
WITHOUT = {801, 807}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def rules():
    """{number: code} of the normative text."""
    return {int(n): code for n, code in re.findall(r'^\| (\d{3}) \| `([\w-]+)` \|', read('docs/blob-format.md'), re.M)}


def instructions():
    return re.findall(r'^### \d+ `([\w.]+)`$', read('docs/blob-tables.md'), re.M)


def unused():
    """What the document has and no blob uses."""
    text = ''.join(read(f'tests/blobs/accepted/{f}') for f in os.listdir(f'{BLOBS}/accepted') if f.endswith('.txt'))
    words = set(re.findall(r'^ *([\w.]+) ', text, re.M)) | set(re.findall(r'^ *r\d+ = (\w+) ', text, re.M))
    numbers = {int(f.split('-')[0]) for f in os.listdir(f'{BLOBS}/refused')}
    for number, code in rules().items():
        if (number in numbers) == (number in WITHOUT):
            yield f'rule {number} {code}'
    for name in instructions():
        if name not in words:
            yield f'instruction {name}'
    operations = re.findall(r'^\| \d+ \| (\w+) \| [12] \|', read('docs/blob-tables.md').split('## Scalar operations')[1].split('##')[0], re.M)
    for name in operations:
        if name not in words:
            yield f'operation {name}'
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


def expected(name, codes):
    number, rest = name.split('.')[0].split('-', 1)
    return rest if number == '0' else codes[int(number)]


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
            passed += got == want
            if got != want:
                bad.append(f'{name}: {got}, expected {want}')
    print('\n'.join(bad))
    print(f'{passed + (made.returncode == 0)} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
