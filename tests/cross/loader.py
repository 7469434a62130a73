#!/usr/bin/python3
"""Loaders for devices (make loader): built for Arm Cortex-M4, for i386 and for s390x, whose numbers have the high byte first,
without a C library, they find the same in the blobs of tests/blobs as the whole library on this machine: verdicts, rules, places,
proofs and every field of the descriptors. So they do in copies of a later minor version with a made-up feature, and in copies with changed fields or a changed bit: one
verdict, one rule, one place. Their sizes and the memory that they use are what docs/loader.md says.

usage: tests/cross/loader.py [FAMILY]
"""
import base64
import glob
import os
import random
import re
import shutil
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get('BUILD', 'build'))
FAMILY = sys.argv[1] if len(sys.argv) > 1 else 'Ascend310P'
WORK = os.path.join(BUILD, 'loader-test')
# name: compiler, its options, what runs its programs, Debian package
MACHINES = {
    'arm': ('arm-none-eabi-gcc', '-mcpu=cortex-m4 -mthumb', 'qemu-arm', 'gcc-arm-none-eabi'),
    'i386': ('gcc', '-m32 -fno-pic -no-pie -fcf-protection=none -fno-stack-protector', '', 'lib32gcc-12-dev'),
    's390x': ('s390x-linux-gnu-gcc', '-march=z13 -fno-stack-protector', 'qemu-s390x', 'gcc-s390x-linux-gnu'),
}
# name: what clang calls it, for a verifier as byte code
TRIPLES = {'arm': 'thumbv7em-none-eabi', 'i386': 'i386-linux-gnu', 's390x': 's390x-linux-gnu'}
# Bytes of code and tables on Cortex-M4 with -Os, at most.
SIZES = {'open': 17900, 'verify': 81270}
COMPACT_SIZES = {'open': 17900, 'verify': 48 << 10}
# The same for a loader of a few instructions of moves and arithmetic.
FEW = 'data_move vec_add vec_mul vec_adds vec_muls vec_dup'
FEW_SIZES = {'open': 15760, 'verify': 45560}
COMPACT_FEW_SIZES = {'open': 15760, 'verify': 32760}
# Bytes of stack there, at most, on all blobs of tests/blobs.
STACK = {'open': 1 << 10, 'verify': 1 << 10}
COMPACT_STACK = {'open': 1 << 10, 'verify': 600}
TARGET_UNKNOWN = ' refused 301 '
NOT_ON_ARCH = ' refused 1002 '
CHANGES = 12  # copies of each blob, with changed fields
FLIPPED = ('terms', 'two-kernels', 'special-registers', 'vector-hcmpv-b')  # each bit of these blobs is changed

passed, failed = 0, 0


def say(ok, name, why=''):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    if not ok:
        print(f'FAILED {name}: {why}')


def sh(cmd, **more):
    return subprocess.run(cmd, shell=isinstance(cmd, str), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors='replace', **more)


def must(cmd):
    p = sh(cmd)
    if p.returncode:
        print(p.stdout)
        raise SystemExit(f'FAILED {cmd}: code {p.returncode}\n0 passed, 1 failed')
    return p.stdout


def tools():
    """All that is needed is there: a test that cannot run fails."""
    for name, (cc, _, run, package) in MACHINES.items():
        for tool, of in ((cc, package), (run, 'qemu-user')):
            if tool and not shutil.which(tool):
                raise SystemExit(f'FAILED {name}: {tool} is missing; install {of} (packages.txt)\n0 passed, 1 failed')


def build(name, ops='', compact=''):
    """A program for the machine; the folder with the loader."""
    cc, flags, _, _ = MACHINES[name]
    out = os.path.join(WORK, FAMILY, name + ('-few' if ops else '') + ('-compact' if compact else ''))
    must(['make', '-s', f'BUILD={BUILD}', 'loader', f'TARGET={FAMILY}', f'OPS={ops}', f'COMPACT={compact}', f'LOADER_CC={cc}', f'LOADER_DIR={out}',
          f'LOADER_CFLAGS=-Os -Werror -fstack-usage {flags}'])
    link(name, out, 'verdicts', 'tests/loader/verdicts.c tests/loader/host_linux.c', '')
    return out


def link(name, out, program, sources, more):
    cc, flags, _, _ = MACHINES[name]
    must(f'{cc} -std=c11 -ffreestanding -DTIK_LEAN -Os -Wall -Wextra -Werror {flags} -I{out}/src -I{out}/src/include '
         f'-Itests/loader -Itests/fuzz {sources} -nostdlib -static -Wl,--gc-sections {more} -o {out}/{program} {out}/libtikload.a -lgcc')


def verdicts(program, run, paths):
    listed = os.path.join(WORK, 'list')
    with open(listed, 'w') as f:
        f.write(''.join(p + '\n' for p in paths))
    p = sh([a for a in (run, program, listed) if a])
    if p.returncode:
        say(False, program, f'code {p.returncode}: {p.stdout[-300:]}')
    *lines, watched = p.stdout.splitlines()
    return lines, [int(n) for n in re.findall(r'\d+', watched)]


def processor(path):
    """The name in TARG, the first section."""
    data = open(path, 'rb').read()
    at = int.from_bytes(data[72:80], 'little')
    return data[at:at + 24].split(b'\0')[0].decode(errors='replace')


def compare(name, known, wanted, found):
    """The loader of a family knows no others: it refuses their blobs at once."""
    for want, have in zip(wanted, found):
        same = want == have
        other = TARGET_UNKNOWN in have and TARGET_UNKNOWN not in want
        if other:
            same = processor(want.split(' ')[0]) not in known
        elif not same and ' refused ' in want and NOT_ON_ARCH in have:  # an instruction that the family does not have, before all other rules
            same = NOT_ON_ARCH in want or ' change ' in want
        say(same, f'{name} {want.split(" ")[0]}', f'\n  library {want}\n  loader  {have}')
    say(len(wanted) == len(found), name, f'{len(found)} lines of {len(wanted)}')


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def of_later_versions(paths):
    """Copies of blobs, as of a later minor version with a made-up feature that readers may ignore or must know."""
    made = []
    for path in paths:
        for kind, at in (('optional', 48), ('required', 40)):
            with open(path, 'rb') as f:
                data = bytearray(f.read())
            data[10] += 1
            data[at + 5] |= 4
            data[60:64] = crc32c(data[:60]).to_bytes(4, 'little')
            made.append(os.path.join(WORK, f'{kind}-{os.path.basename(path)}'))
            with open(made[-1], 'wb') as f:
                f.write(data)
    return made


def changed(paths, known):
    """Lines of the list that ask for copies of the accepted blobs of the family."""
    own = [p for p in paths if '/tests/blobs/accepted/' in p and processor(p) in known]
    return [f'{p} {CHANGES}' for p in own] + [f'{p} flips' for p in own if os.path.basename(p)[:-4] in FLIPPED]


def ask_changes(name, wanted):
    """There are enough of each kind: refused when opened, refused in the code by a rule of an instruction, proved."""
    for what, least in ((r' change \d+ refused ', 1000), ('kernel.* refused 1...', 100), (' proved ', 100), (' flips ', len(FLIPPED))):
        n = sum(re.search(what, line) is not None for line in wanted)
        say(n >= least, f'changed blobs of {name}', f'{n} lines with "{what}", not {least}')


def ask_features(wanted):
    """The library ignores the one and refuses the other; compare() asks it of the loaders."""
    said = dict(line.split(' ', 1) for line in wanted)
    for path, what in said.items():
        kind, _, name = os.path.basename(path).partition('-')
        if os.path.dirname(path) == WORK and kind == 'required':
            say(what.startswith('refused 107 '), path, what)
        elif os.path.dirname(path) == WORK:
            say(what == said[os.path.join(ROOT, 'tests/blobs/accepted', name)], path, what)


def sizes(out, limits, which):
    for what, most in limits.items():
        link('arm', out, what, f'tests/loader/{what}.c', '-Wl,-e,run')
        text = must(f'arm-none-eabi-size {out}/{what}').splitlines()[1].split()
        n = int(text[0]) + int(text[1])
        print(f'{FAMILY} on Cortex-M4, {which}, {what}: {n} bytes')
        say(n <= most, f'size of {what}, {which}', f'{n} bytes, more than {most}')


def emulator():
    """It says where it cannot run."""
    for name, text in (('s390x', 'low byte first'), ('i386', '64 bits')):
        cc, flags, _, _ = MACHINES[name]
        p = sh(f'echo \'#include "emu/emu.h"\' | {cc} {flags} -Iruntime -Iruntime/include -E -x c -')
        say(p.returncode != 0 and text in p.stdout, f'emulator on {name}', p.stdout[-200:])


def other_compiler():
    """clang compiles the sources, too, for Cortex-M4, with no warning; its code is not executed here."""
    out = os.path.join(WORK, FAMILY, 'arm-clang')
    p = sh(['make', '-s', f'BUILD={BUILD}', 'loader', f'TARGET={FAMILY}', 'LOADER_CC=clang-19', f'LOADER_DIR={out}',
            'LOADER_CFLAGS=-Os -Werror --target=thumbv7em-none-eabi -mcpu=cortex-m4'])
    say(p.returncode == 0, 'clang', p.stdout[:300])


def sample():
    """samples/loader: a kernel on a mock device, which prints what its queues get."""
    out = os.path.join(WORK, FAMILY, 'host')
    cc = os.environ.get('CC', 'cc')
    must(['make', '-s', f'BUILD={BUILD}', 'loader', f'TARGET={FAMILY}', f'LOADER_CC={cc}', f'LOADER_DIR={out}'])
    must(f'{cc} -std=c11 -O1 -Wall -Wextra -Werror -DTIK_LEAN -I{out}/src -I{out}/src/include samples/loader/loader.c '
         f'{out}/libtikload.a -Wl,--gc-sections -o {out}/loader')
    must(f'{BUILD}/tikc build samples/loader/sums.tik -o {out}/sums.tkb')
    draw = random.Random(15)
    x, y = ([draw.randrange(-2**31, 2**31) for _ in range(2048)] for _ in range(2))
    for name, values in (('x', x), ('y', y), ('z', [0] * 2048)):
        with open(f'{out}/{name}', 'wb') as f:
            f.write(struct.pack('<2048i', *values))
    run = [f'{out}/loader', f'{out}/sums.tkb', f'{out}/x', f'{out}/y', f'{out}/z']
    p = sh(run)
    with open(f'{out}/z', 'rb') as f:
        z = list(struct.unpack('<2048i', f.read()))
    say(p.returncode == 0 and z == [(a + b + 2**31) % 2**32 - 2**31 for a, b in zip(x, y)], 'sums of samples/loader', p.stdout[-200:])
    say(p.stdout.count('DMA    1 bursts of 512 bytes\n') == 48 and p.stdout.count('vector 2 repeats of 64 lanes\n') == 16,
        'queues of samples/loader', p.stdout[:300])
    with open(f'{out}/sums.tkb', 'r+b') as f:
        f.seek(700)
        byte = f.read(1)[0]
        f.seek(700)
        f.write(bytes([byte ^ 1]))
    say(sh(run).returncode == 4, 'a damaged blob', 'is not refused')
    with open(os.path.join(ROOT, 'samples/loader/loader.c')) as f:
        say(len(f.readlines()) < 300, 'samples/loader/loader.c', 'has 300 lines or more')


def signed_sample():
    """samples/loader/signed.c: it takes what the owner of the pinned key has signed, and nothing else."""
    out = os.path.join(WORK, FAMILY, 'host')
    cc = os.environ.get('CC', 'cc')
    must(f'{cc} -std=c11 -O1 -Wall -Wextra -Werror -DTIK_LEAN -I{out}/src -I{out}/src/include samples/loader/signed.c '
         f'{out}/libtikload.a -Wl,--gc-sections -lsodium -o {out}/signed')
    must(f'{BUILD}/tikc build samples/loader/sums.tik -o {out}/sums.tkb')
    for name, seed in (('owner', '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'), ('other', '42' * 32)):
        der = bytes.fromhex('302e020100300506032b657004220420' + seed)
        with open(f'{out}/{name}.pem', 'w') as f:
            f.write(f'-----BEGIN PRIVATE KEY-----\n{base64.b64encode(der).decode()}\n-----END PRIVATE KEY-----\n')
        must(f'{BUILD}/tikc sign {out}/sums.tkb --key {out}/{name}.pem -o {out}/{name}.sig')
    must(f'{BUILD}/tikc strip {out}/sums.tkb -o {out}/small.tkb')
    must(f'{BUILD}/tikc build samples/softmax.tik -o {out}/softmax.tkb')
    for blob, sig, want in (('sums', 'owner', ''), ('small', 'owner', ''), ('sums', 'other', '902'), ('softmax', 'owner', '902'), ('sums', 'sums.tkb', '901')):
        p = sh([f'{out}/signed', f'{out}/{blob}.tkb', f'{out}/{sig}' + ('.sig' if sig in ('owner', 'other') else '')])
        say(p.returncode == (4 if want else 0) and (not want or f'rule {want}\n' in p.stdout), f'signed sample: {blob} {sig}', p.stdout)


def parts(name, out, compact):
    """Division of 64 bits; with a verifier as byte code a stack that is too small."""
    program = 'small_stack' if compact else 'integers'
    link(name, out, program, f'tests/loader/{program}.c tests/loader/host_linux.c', '-DTIK_COMPACT' if compact else '')
    p = sh([a for a in (MACHINES[name][2], os.path.join(out, program), 'tests/blobs/accepted/example.tkb') if a])
    say(p.returncode == 0, f'{program} on {name}', f'code {p.returncode}')


def machine(name, library, paths, wanted, compact):
    """The loader of a machine, with a verifier as byte code if it has a triple."""
    run, said = MACHINES[name][2], name + (', byte code' if compact else '')
    out = build(name, compact=compact)
    found, (stack_open, stack_verify, rest) = verdicts(os.path.join(out, 'verdicts'), run, paths)
    with open(os.path.join(out, 'src/family.inc')) as f:
        socs = f.read().split('};')[0]
    known = re.findall(r'{"([^"]+)"', socs)
    compare(said, known, wanted, found)
    wanted_of_changed, _ = verdicts(library, '', changed(paths, known))
    ask_changes(said, wanted_of_changed)
    found, (_, stack_changed, _) = verdicts(os.path.join(out, 'verdicts'), run, changed(paths, known))
    compare(said, known, wanted_of_changed, found)
    stack_verify = max(stack_verify, stack_changed)
    print(f'{said}: stack of open {stack_open}, of verify {stack_verify} bytes')
    parts(name, out, compact)
    # Byte code writes no padding, which a RegFact may end with.
    say(0 <= rest < (8 if compact else 1), f'workspace on {said}', f'{rest} bytes at its end are not used')
    if name == 'arm':
        most = COMPACT_STACK if compact else STACK
        say(stack_open <= most['open'] and stack_verify <= most['verify'], f'stack, {said}', f'more than {most}')
        sizes(out, COMPACT_SIZES if compact else SIZES, 'all instructions' + (', byte code' if compact else ''))
        sizes(build(name, FEW, compact), COMPACT_FEW_SIZES if compact else FEW_SIZES, 'a few' + (', byte code' if compact else ''))


def wrong_abi():
    """Byte code for one processor is not compiled for another."""
    out = os.path.join(WORK, FAMILY, 'wrong')
    p = sh(['make', '-s', f'BUILD={BUILD}', 'loader', f'TARGET={FAMILY}', 'COMPACT=i386-linux-gnu', 'LOADER_CC=s390x-linux-gnu-gcc', f'LOADER_DIR={out}'])
    say(p.returncode != 0 and 'made for another order of bytes' in p.stdout, 'byte code for another processor', p.stdout[-300:])


def unknown_code():
    """What the tool does not translate is its error: here a number that is no integer."""
    out = os.path.join(WORK, 'float')
    must(['sh', '-c', f'echo "double verify_kernel(double a) {{ return a + a; }}" | clang-19 --target=thumbv7em-none-eabi -O1 -emit-llvm -c -x c - -o {out}.bc'])
    p = sh([os.path.join(BUILD, 'compact'), 'verify_kernel', f'{out}.c', 'test', f'{out}.bc'])
    say(p.returncode == 1 and p.stdout.startswith('compact: verify_kernel: ') and 'fadd' in p.stdout, 'code that is not translated', p.stdout)


def main():
    tools()
    os.makedirs(WORK, exist_ok=True)
    library = os.path.join(WORK, 'library')
    must(f'{os.environ.get("CC", "cc")} -std=c11 -O2 -Iruntime -Iruntime/include -Itests/fuzz tests/loader/verdicts.c tests/loader/host_libc.c '
         f'{BUILD}/libtikrt.a -lm -pthread -o {library}')
    paths = sorted(glob.glob(os.path.join(ROOT, 'tests/blobs/*/*.tkb')))
    paths += of_later_versions([p for p in paths if '/accepted/' in p][::5])
    wanted, _ = verdicts(library, '', paths)
    ask_features(wanted)
    for name in MACHINES:
        machine(name, library, paths, wanted, '')
        machine(name, library, paths, wanted, TRIPLES[name])
    wrong_abi()
    unknown_code()
    emulator()
    other_compiler()
    sample()
    signed_sample()
    print(f'{passed} passed, {failed} failed')
    return failed != 0


sys.exit(main())
