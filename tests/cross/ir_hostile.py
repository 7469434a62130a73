#!/usr/bin/python3
"""Texts of kernels that nobody would write end as errors of the text, of the kernel or of its run, never as a fault of
tikc: lines, operands, numbers, types and memories of real texts are exchanged, and what is accepted is compiled by both
back ends and run.

    ir_hostile.py [NUMBER OF TEXTS [FIRST SEED]]

The tool is $TIKC, else build/tikc. Ends with a line "N passed, N failed"; exit code 1 if there is a failure."""
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa
import programs

TEXTS = 160
FINE = {0: 'accepted', 1: 'error', 5: 'fault'}
NUMBERS = ['0', '1', '2', '-1', '7', '8', '31', '32', '63', '64', '65', '128', '255', '256', '4095', '4096', '65535', '65536',
           '2147483647', '4294967296', '9223372036854775807', '-9223372036854775808', '18446744073709551615', '(@i * 3)',
           'int64(@i)', '$n', '0.5', 'nan(0x7e00)', 'inf', '5:int32', '5:uint64', '1.0:float32']
DTYPES = ['float16', 'float32', 'float64', 'bfloat16', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'int4',
          'uint4', 'bool']
MEMORIES = ['UB', 'L1', 'L0A', 'L0B', 'L0C', 'BT', 'FB', 'SREG', 'LMEM', 'SMEM', 'VREG', 'GM']
WORDS = ['break', 'continue', 'return', 'scope {', '}', 'scope no_sync {', 'if (1 < 2) {', 'for @i: int32 = 0 to 3 {',
         'for @i: int32 = 0 to 2 block_num=2 {', 'for @q: int32 = 0 to $n block_num=* {', 'blocks count=2', 'alloc %z: int8[*] UB',
         'alloc %z: uint32[48] SREG', 'alloc %z: float16[128] VREG', 'alloc %z: float32[64] UB fixed=0 apart=1 copies=2',
         'reserve buffer=%z+0:int8 after=%z+0:int8 bytes=64 copies=1', 'reg $n: int32 core', 'reg $n: int32', 'peak UB=99999999',
         '$n = 5', 'loop_bounds begin=0 end=5 dtype=99 wide=0', 'loop_bounds begin=$n end=$n dtype=3 wide=3', 'in %q: float16[*] use=scalar',
         'global %g: float32[2147483647] open', 'list %l: int64[4]', 'const %c: int8[2] = 0001', 'set_flag pipe=77 trigger_pipe=-3 event_id=9']


def sources():
    """The texts that are spoilt, as lines."""
    texts = []
    for program in programs.files('samples', 'tests/cross/kernels'):
        for options in ([], ['--passes', 'none']):
            run = subprocess.run([TIKC, 'build', program, '--emit', 'ir', '-o', '-', *options], capture_output=True, timeout=100)
            if run.returncode == 0 and len(run.stdout) < 20000:
                texts.append(run.stdout.decode().splitlines())
    return texts


def pieces(lines, pattern):
    return [m[0] for line in lines for m in re.finditer(pattern, line)]


def replace_one(rng, line, pattern, values):
    found = list(re.finditer(pattern, line))
    if not found or not values:
        return line
    m = rng.choice(found)
    return line[:m.start()] + rng.choice(values) + line[m.end():]


def spoil(rng, texts):
    lines, other = list(rng.choice(texts)), rng.choice(texts)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        at = rng.randrange(len(lines))
        kind = rng.randrange(10)
        if kind == 0:
            lines[at] = replace_one(rng, lines[at], r'(?<![\w$@%])-?\d+(?:\.\d+)?', NUMBERS)
        elif kind == 1:
            lines[at] = replace_one(rng, lines[at], '|'.join(r'\b%s\b' % t for t in DTYPES), DTYPES)
        elif kind == 2:
            lines[at] = replace_one(rng, lines[at], '|'.join(r'\b%s\b' % m for m in MEMORIES), MEMORIES)
        elif kind == 3:
            lines[at] = replace_one(rng, lines[at], r'%\w+(?:\.\d+)?', pieces(lines, r'%\w+(?:\.\d+)?'))
        elif kind == 4:
            lines[at] = replace_one(rng, lines[at], r'[$@]\w+(?:\.\d+)?', pieces(lines, r'[$@]\w+(?:\.\d+)?'))
        elif kind == 5:
            lines.insert(at, rng.choice(lines))
        elif kind == 6:
            del lines[at]
        elif kind == 7:
            lines.insert(at, rng.choice(other))
        elif kind == 8:
            lines.insert(at, rng.choice(WORDS))
        else:
            lines[at] = replace_one(rng, lines[at], r'(?<==)[^ ]+', pieces(lines, r'(?<==)[^ ]+'))
        if not lines:
            return 'kernel'
    return '\n'.join(lines) + '\n'


def outcome(path, *command):
    try:
        run = subprocess.run([TIKC, *command[:1], path, *command[1:]], capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return 'timeout'
    told = run.stderr.decode(errors='replace')
    if run.returncode == 4 and 'a blob has one target' in told:  # a line of another text brought a kernel for another processor
        return 'error'
    return FINE.get(run.returncode, 'code %d: %s' % (run.returncode, told[-300:]))


def verdict(text):
    """The outcomes of a text, the bad ones as sentences."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'k.ir')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        first = outcome(path, 'check', '--verify-each')
        if first != 'accepted':
            return [first]
        return [first, outcome(path, 'build', '--emit', 'blob', '-o', os.path.join(folder, 'k.tkb')),
                outcome(path, 'build', '--emit', 'object', '-O', '0', '-o', os.path.join(folder, 'k.o'))] + \
               [run for run in (outcome(path, 'run', '--backend', b, '-O', '0') for b in ('host', 'emu')) if not run.startswith('code 2:')]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else TEXTS
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    texts = sources()
    made = [spoil(random.Random(first + i), texts) for i in range(count)]
    passed, bad, accepted = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for i, found in enumerate(pool.map(verdict, made)):
            wrong = [f for f in found if f not in FINE.values()]
            accepted += found[0] == 'accepted'
            passed += not wrong
            bad += bool(wrong)
            for f in wrong:
                print('seed %d: %s' % (first + i, f))
            if wrong and os.environ.get('KEEP'):
                with open(os.path.join(os.environ['KEEP'], 'seed%d.ir' % (first + i)), 'w', encoding='utf-8') as f:
                    f.write(made[i])
    if len(texts) < 50 or not count // 20 < accepted < count:
        print('%d texts, %d of %d accepted' % (len(texts), accepted, count))
        bad += 1
    print('%d passed, %d failed' % (passed, bad))
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
