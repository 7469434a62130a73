#!/usr/bin/python3
"""What opening and proving a blob costs is bounded (docs/loader.md, Time): the loader counts its steps itself (TikBlobProof.work), and a build of it
whose compiler counts the blocks of code that are executed says what a byte and a step cost. Both stay below their bounds for the conformance set and
for blobs that are made to be expensive: instructions with operands that nobody knows and that share their tensors, deep nests, many registers, long
lists, many flags, strings, frames.

usage: tests/cross/proof_work.py [FAMILY]..."""
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from paths import ROOT, TIKC  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get('BUILD', 'build'))
FAMILIES = sys.argv[1:] or ['Ascend310P', 'Ascend910B', 'bm1684x']
SLOT = 4608  # steps of proof for a slot of 16 bytes, at most: tikblob_work
BYTE = 40  # blocks that opening takes for a byte, at most, and for a string or frame of each window
WINDOW = 1024  # of a loader: bytes of strings and frames that one walk over the references covers
STEP = 2000  # blocks of a step of proof, at most
VALUES = ['0', '1', '255', '4095', '65535', '2147483647', '-1', '9223372036854775807']
DRAWS = int(os.environ.get('TIKC_DRAWS', '6'))  # hostile copies of each instruction

passed, failed = 0, 0
most = {}


def say(ok, name, why=''):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f'FAILED {name}: {why}')


def must(*args):
    p = subprocess.run(args, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if p.returncode:
        print(p.stdout)
        raise SystemExit(f'FAILED {args[0]}: code {p.returncode}\n0 passed, 1 failed')
    return p.stdout


def counted(family, work):
    """The program that counts, for a family."""
    cc, out = os.environ.get('CC', 'cc'), f'{work}/{family}'
    must('make', '-s', f'BUILD={BUILD}', 'loader', f'TARGET={family}', f'LOADER_CC={cc}', f'LOADER_DIR={out}', 'LOADER_CFLAGS=-O1 -fsanitize-coverage=trace-pc')
    must(*cc.split(), '-std=c11', '-O1', '-Wall', '-Wextra', '-Werror', '-DTIK_LEAN', f'-I{out}/src', f'-I{out}/src/include', 'tests/loader/counted.c',
         f'{out}/libtikload.a', '-Wl,--gc-sections', '-o', f'{out}/counted')
    return f'{out}/counted'


# ---- hostile blobs

def parts(text):
    """Lines before the code of a text with one kernel, and its instructions without places."""
    lines = text.split('\n')
    at = lines.index('code')
    body = [re.split(r' @ "| in \d+| named ', line.strip())[0] for line in lines[at + 1:]]
    return [x for x in lines[:at] if not x.startswith('frame')], [x for x in body if '=' in x and not re.match(r'[rs]\d+ = ', x) and not x.startswith('loop')]


def hostile(draw, line):
    """The instruction with numbers that are extreme or unknown, often with all tensors in one region."""
    op, *operands = line.replace(' checked', '').split(' ')
    tensors = re.findall(r'\w+\[(\d+),', line)
    unknown = draw.random()

    def change(word):
        name, eq, value = word.partition('=')
        if not eq or not re.fullmatch(r'-?\d+|[rs]\d+|core', value):
            return word
        return f'{name}={"r0" if draw.random() < unknown else draw.choice(VALUES) if draw.random() < 0.3 else "1" if value[0] in "rsc" else value}'

    text = ' '.join([op, 'checked', *map(change, operands)])
    text = re.sub(r', -?\d*\*?(?:[rs]\d+|core)', '', text)  # counters that this kernel does not have
    text = re.sub(r'\b[rs]\d+\b', 'r0', text)
    if tensors and draw.random() < 0.7:
        text = re.sub(r'\[\d+, (-?\d+)', lambda m: f'[{tensors[0]}, {draw.choice([m[1], "0", "32", "512"])}', text)
    return re.sub(r'\[(\d+), (-?\d+)\]', r'[\1, \2, 32*r0]', text) if draw.random() < 0.3 else text


def hostile_texts(draw, family):
    """(name, text): of each text of the conformance set, kernels of one hostile instruction each."""
    for path in sorted(glob.glob(f'{ROOT}/tests/blobs/accepted/*.txt')):
        with open(path, encoding='utf-8') as f:
            text = f.read()
        if text.count('\nkernel "') != 1 or len(text) > 40000 or not text.startswith(f'blob 1.0 {family}'):
            continue
        head, body = parts(text)
        kernel = next(i for i, x in enumerate(head) if x.startswith('kernel "'))
        lines = head[:kernel]
        for i, line in enumerate(body[:12] * DRAWS):
            if any(' table ' in x for x in head):
                break
            name, rest = head[kernel].split('"', 2)[1:]
            lines += [f'kernel "{name}{i}"{rest}', *head[kernel + 1:], 'code', 'r0 = load checked int64[0, 0]', hostile(draw, line), 'end']
        if len(lines) > kernel:
            yield os.path.basename(path)[:-4], '\n'.join(lines) + '\n'


HEAD = '''blob 1.0 {soc}
kernel "k" cores 8 steps 0
peak UB 65536
arg "x" input float16 (32768)
region 0 "x" GM float16 arg 0
region 1 "ub" UB float16 at 0 bytes 65536
code
'''


def expensive(soc):
    """(name, text) of programs that are large in one way."""
    head = HEAD.format(soc=soc)
    loops = ''.join(f'loop s{i} = 0 2\n' for i in range(16))
    ends = ''.join(f'endloop s{i}\n' for i in reversed(range(16)))
    loads = ''.join(f'r{i} = load checked int64[0, {8 * i}]\n' for i in range(256))
    terms = ', '.join(f'{i + 1}*s{i}' for i in range(8)) + ', 1*r0, 1*r1'
    access = f'r2 = load checked float16[1, 0, {terms}]\nstore checked float16[1, 2, {terms}] r2\n'
    yield 'loops', head + 'r0 = add int64 1 1\nr1 = add int64 1 1\n' + loops + access * 500 + ends + 'end\n'
    yield 'branches', head + 'r0 = add int64 1 1\nr1 = add int64 1 1\n' + 'if r0\n' * 512 + 'r3 = add int64 r0 r1\n' * 2000 + 'endif\n' * 512 + 'end\n'
    yield 'registers', head + loads + ''.join(f'r{i % 256} = mul int64 r{(i * 7) % 256} r{(i * 13 + 5) % 256}\n' for i in range(20000)) + 'end\n'
    yield 'many-registers', head + 'r65535 = add int64 1 1\n' + 'r0 = add int64 r65535 r0\n' * 100 + 'end\n'
    yield 'flags', head + 'set_flag pipe=4 trigger_pipe=1 event_id=0\nwait_flag pipe=4 trigger_pipe=1 event_id=0\n' * 5000 + 'end\n'
    names = '' .join(f'r{i % 50} = add int64 {i} 1 @ "{"f%d" % (i * 7919 % 20000)}.tik" {i}:1\n' for i in range(20000))
    yield 'strings', head + names + 'end\n'
    frames = ''.join(f'frame {i} {i - 1 if i % 100 else 0} "f{i}" @ "k.tik" {i}:1\n' for i in range(1, 5000))
    called = ''.join(f'r0 = add int64 1 1 in {i}\n' for i in range(1, 5000))
    yield 'frames', head.replace('kernel "k"', frames + 'kernel "k"') + called + 'end\n'


def assemble(work, texts):
    paths = []
    for name, text in texts:
        with open(f'{work}/{name}.txt', 'w', encoding='utf-8') as f:
            f.write(text)
        p = subprocess.run([TIKC, 'asm', f'{work}/{name}.txt', '-o', f'{work}/{name}.tkb'], cwd=ROOT, capture_output=True, text=True)
        say(p.returncode == 0, f'asm {name}', p.stderr[-300:])
        paths += [f'{work}/{name}.tkb'] if p.returncode == 0 else []
    return paths


# ---- what they cost

def sizes(path):
    """(bytes of strings, frames) of a blob."""
    with open(path, 'rb') as f:
        data = f.read()
    found = {}
    for at in range(64, 64 + 32 * int.from_bytes(data[24:28], 'little'), 32):
        offset, size = (int.from_bytes(data[at + i:at + i + 8], 'little') for i in (8, 16))
        found[data[at:at + 4]] = data[offset:offset + size]
    frames = found.get(b'CALL', b'')[:4]
    return len(found.get(b'STRS', b'')), int.from_bytes(frames, 'little')


def note(what, value, path):
    if value > most.get(what, (0, ''))[0]:
        most[what] = value, os.path.basename(path)


def check(program, paths):
    for at in range(0, len(paths), 100):
        for line in must(program, *paths[at:at + 100]).splitlines():
            path, *numbers = line.split(' ')
            size, opening, slots, work, proving = map(int, numbers)
            strings, frames = sizes(path) if opening > BYTE * (size + 1) else (0, 0)
            walks = 1 + strings // WINDOW + frames // WINDOW
            say(opening <= BYTE * (size + 1) * walks, path, f'{opening} blocks to open {size} bytes')
            say(work <= SLOT * slots, path, f'{work} steps of proof for {slots} slots')
            say(proving <= STEP * work + 100, path, f'{proving} blocks for {work} steps')
            note('blocks of opening a byte', opening / (size + 1), path)
            note('steps of proof for a slot', work / slots if slots else 0, path)
            note('blocks of a step', proving / work if work else 0, path)
            note('bytes', size, path)


def main():
    with tempfile.TemporaryDirectory() as work:
        for family in FAMILIES:
            program = counted(family, work)
            draw = random.Random(15)
            check(program, sorted(glob.glob(f'{ROOT}/tests/blobs/*/*.tkb')))
            check(program, assemble(work, hostile_texts(draw, family)))
            if family.startswith('Ascend'):
                check(program, assemble(work, expensive({'Ascend310P': 'Ascend310P3', 'Ascend910B': 'Ascend910B1'}[family])))
    for what, (value, path) in most.items():
        print(f'{what}: at most {value:.1f}, of {path}')
    print(f'{passed} passed, {failed} failed')
    return failed != 0


sys.exit(main())
