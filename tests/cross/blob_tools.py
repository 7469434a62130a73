#!/usr/bin/python3
"""The tools on blobs, over the blobs of all samples: what 'strip' leaves executes the same code and has no places; 'dump' gives every
byte of a blob once, also of damaged ones; the numbers of 'stats' add up; the lines of 'diff' turn one kernel's code into the other's."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from paths import ROOT, TIKC  # noqa: E402

DAMAGED = int(os.environ.get('TIKC_DAMAGED', '8'))  # damaged copies of each blob
STRIPPED = {'LINE', 'NAME', 'CALL', 'META'}


def tikc(*args):
    p = subprocess.run([TIKC, *args], capture_output=True, text=True, cwd=ROOT)
    return p.returncode, p.stdout


def read_json(*args, expect=(0,)):
    code, out = tikc(*args, '--format', 'json')
    assert code in expect, (args, code, out)
    return json.loads(out.splitlines()[0])


def build(folder):
    """The blobs of the samples that make one."""
    blobs = []
    for name in sorted(os.listdir(os.path.join(ROOT, 'samples'))):
        out = os.path.join(folder, name + '.tkb')
        if name.endswith('.tik') and tikc('build', 'samples/' + name, '-o', out)[0] == 0:
            blobs.append(out)
    assert len(blobs) >= 25, blobs
    return blobs


def code_of(blob):
    return {k['name']: [d['text'] for d in k['code']] for k in read_json('disasm', blob)['kernels']}


def check_strip(blob):
    out = blob + '.stripped'
    told = read_json('strip', blob, '-o', out)
    assert told['bytes'] == os.path.getsize(out) < told['bytes_read'] == os.path.getsize(blob)
    assert tikc('verify', out)[0] == 0
    sections = set(read_json('stats', out)['sections'])
    assert not sections & STRIPPED and sections == set(read_json('stats', blob)['sections']) - STRIPPED
    assert code_of(out) == code_of(blob)
    assert all('line' not in d for k in read_json('disasm', out)['kernels'] for d in k['code'])
    again = out + '2'
    assert tikc('strip', out, '-o', again)[0] == 0
    assert open(out, 'rb').read() == open(again, 'rb').read()


def covers(blob, expect):
    """The fields are the file's bytes, in order, each once."""
    fields = read_json('dump', blob, expect=expect)['fields']
    data = b''.join(bytes.fromhex(f['bytes']) for f in fields)
    assert data == open(blob, 'rb').read()
    at = 0
    for f in fields:
        assert f['offset'] == at and f['bytes'] and f['name'], f
        at += len(f['bytes']) // 2


def check_dump(blob):
    covers(blob, (0,))
    rng = random.Random(os.path.basename(blob))
    data = open(blob, 'rb').read()
    for i in range(DAMAGED):
        bad = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            bad[rng.randrange(len(bad) if i % 2 else min(600, len(bad)))] = rng.randrange(256)
        if i % 4 == 3:
            bad = bad[:rng.randrange(len(bad))]
        path = blob + '.bad'
        with open(path, 'wb') as f:
            f.write(bad)
        covers(path, (0,) if bytes(bad) == data else (4,))


def check_stats(blob):
    s = read_json('stats', blob)
    assert s['bytes'] == os.path.getsize(blob)
    assert s['sections']['CODE'] == sum(k['code_bytes'] for k in s['kernels'])
    verified = {k['name']: k for k in read_json('verify', blob)['kernels']}
    for k in s['kernels']:
        instructions = sum(k['instructions'].values())
        assert instructions == sum(k['queues'].values())
        assert k['descriptors'] == instructions + k['scalar'] + k['control'] == verified[k['name']]['descriptors']
        assert (k['proved'], k['checked']) == (verified[k['name']]['proved'], verified[k['name']]['checked'])


def check_diff(old, new):
    """Without what is removed the old code is the new one without what is added."""
    d = read_json('diff', old, new, expect=(0, 1))
    codes = code_of(old), code_of(new)
    names = {k['name'] for k in d['kernels']}
    assert names == set(codes[0]) | set(codes[1])
    for k in d['kernels']:
        left = []
        for side, code in zip(('old', 'new'), codes):
            gone = {c['descriptor']: c['text'] for c in k['changes'] if c['side'] == side and c['descriptor'] >= 0}
            lines = code.get(k['name'], [])
            assert all(lines[i] == text for i, text in gone.items())
            left.append([t for i, t in enumerate(lines) if i not in gone])
        assert left[0] == left[1], (old, new, k['name'])
    changed = any(k['changes'] for k in d['kernels']) or d['target_old'] != d['target_new']
    assert d['equal'] == (not changed) == (tikc('diff', old, new)[0] == 0)
    return d


def mutated(blob, rng):
    """The same kernel with some lines of its code gone, changed or twice."""
    text = tikc('disasm', blob)[1].splitlines()
    plain = [i for i, t in enumerate(text) if t.startswith('  ') and ' dst=' in t]
    for i in sorted(rng.sample(plain, min(len(plain), 3)), reverse=True):
        text[i:i + 1] = rng.choice(([], [text[i]] * 2, [text[i].replace('=1 ', '=2 ', 1)]))
    path = blob + '.mut'
    p = subprocess.run([TIKC, 'asm', '-', '-o', path], input='\n'.join(text) + '\n', text=True, capture_output=True)
    return path if p.returncode == 0 and tikc('disasm', path)[0] == 0 else None  # a frame without descriptors is refused


def check_diffs(blobs, i):
    blob = blobs[i]
    assert check_diff(blob, blob)['equal']
    assert check_diff(blob, blob + '.stripped')['equal']
    check_diff(blob, blobs[i - 1])
    rng = random.Random(i)
    for _ in range(3):
        other = mutated(blob, rng)
        if other:
            check_diff(blob, other)


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        blobs = build(folder)
        for i, blob in enumerate(blobs):
            for name, check in (('strip', check_strip), ('dump', check_dump), ('stats', check_stats),
                                ('diff', lambda _: check_diffs(blobs, i))):
                try:
                    check(blob)
                    passed += 1
                except (AssertionError, ValueError, KeyError) as e:
                    failed += 1
                    print('%s %s: %r' % (name, os.path.basename(blob), e))
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
