#!/usr/bin/python3
"""The properties P9, P10 and P12 that 'tikc verify' proves of a blob, against the emulator's mode check: samples, kernels of tests, golden cases,
and mutants of their blobs, on random inputs.

1. What the mode finds is not proved: uninit belongs to P9, P11 and P12, pad-read to P9 and P12, core-collision to P10.
2. What is refuted with a place, the mode finds (P9, P10), and what is proved to be written whole is: an output that begins with zeros and
   one that begins with ones end alike (P12).
3. Counted: properties that are not proved although the mode finds nothing, on one input.

usage: [TIKC=TOOL] properties.py [--golden FOLDER] [--mutants N] [TEXT...]: only files whose names contain one of the texts; --golden: also the
programs of a folder that run_golden.py --keep has made, and those of tests/lit; --mutants: that many changed blobs (40). Ends with 'N passed, N failed'."""
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa

DTYPES = {'float16': np.float16, 'float32': np.float32, 'bfloat16': np.uint16, 'bool': np.uint8}
OF = {'uninit': ('P9', 'P11', 'P12'), 'pad-read': ('P9', 'P12'), 'core-collision': ('P10',)}
FOUND = re.compile(r'\[(uninit|pad-read|core-collision)\]')
MOST = 1 << 22  # elements of an array
MOST_ALARMS = 19  # of the programs without --golden


def tikc(*args, text=None):
    try:
        p = subprocess.run([TIKC, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT, errors='replace',
                           input=text, universal_newlines=True, timeout=60)
    except subprocess.TimeoutExpired:
        return -1, 'too long'
    return p.returncode, p.stdout


def arguments(listing):
    """By kernel the arguments of a blob: name, role, dtype, shape; null: it has lists, or sizes that only the run knows."""
    kernels, name = {}, None
    for line in listing.splitlines():
        m = re.match(r'kernel "([^"]*)"', line)
        if m:
            name = m.group(1)
            kernels[name] = []
        m = re.match(r'arg "([^"]*)" (\w+) (\w+) \((.*?)\)(.*)', line)
        if m and (m.group(2) == 'list' or 'open' in m.group(5)):
            kernels[name] = None
        elif m and kernels[name] is not None:
            shape = [int(x) for x in m.group(4).split(',')]
            if np.prod(shape) > MOST:
                kernels[name] = None
            else:
                kernels[name].append((m.group(1), m.group(2), m.group(3), shape, 'preset' in m.group(5)))
    return kernels


def contents(rng, dtype, shape):
    if dtype in ('float16', 'float32'):
        return rng.standard_normal(shape).astype(dtype)
    t = np.dtype(DTYPES.get(dtype, dtype))
    return rng.integers(0, 2 if dtype == 'bool' else 60, shape).astype(t)


class Case:
    def __init__(self, folder, blob):
        self.folder, self.blob = folder, blob
        self.listing = tikc('disasm', blob)[1]
        self.false_alarms, self.unproved = [], 0

    def inputs(self, kernel, args):
        """Random inputs with which the kernel runs, else zeros; null: neither."""
        for zeros in (False, True):
            rng, files = np.random.default_rng(9), []
            for i, (name, role, dtype, shape, _) in enumerate(args):
                if role not in ('input', 'global'):
                    continue
                try:
                    data = contents(rng, dtype, shape)
                except TypeError:  # elements of 4 bits
                    return None
                file = os.path.join(self.folder, f'in{i}.npy')
                np.save(file, np.zeros_like(data) if zeros else data)
                files += ['--in', f'{name}={file}']
            code, said = tikc('run', self.blob, '--kernel', kernel, '--mode', 'check', *files)
            if code in (0, 5) and 'error' not in said:
                return files, said
        return None

    def written_whole(self, kernel, args, files):
        """Whether outputs that begin with zeros and with ones end alike."""
        ends = []
        for fill in (0, 255):
            more, names = [], []
            for i, (name, role, dtype, shape, preset) in enumerate(args):
                if role == 'output' and not preset:
                    t = np.dtype(DTYPES.get(dtype, dtype))
                    file, out = (os.path.join(self.folder, f'{x}{i}.npy') for x in ('from', 'out'))
                    np.save(file, np.frombuffer(bytes([fill & (1 if dtype == 'bool' else 255)]) * int(np.prod(shape) * t.itemsize), t).reshape(shape))
                    more += ['--in', f'{name}={file}', '--out', f'{name}={out}']
                    names.append(out)
            code, said = tikc('run', self.blob, '--kernel', kernel, '--backend', 'emu', *files, *more)
            if code != 0:
                return None
            ends.append([open(n, 'rb').read() for n in names])
        return ends[0] == ends[1]

    def check_kernel(self, kernel, verdicts, texts, args):
        errors = []
        got = None if args is None else self.inputs(kernel, args)
        if got is None:
            return errors
        files, said = got
        found = set(FOUND.findall(said))
        for rule in sorted(found):
            if all(verdicts[p] == 'proved' for p in OF[rule]):
                errors.append(f'{kernel}: {rule} is found, but {" and ".join(OF[rule])} proved: {said[:300]}')
        if verdicts['P9'] == 'refuted' and not found and 'register' not in texts['P9']:
            errors.append(f'{kernel}: P9 is refuted, but nothing is found: {texts["P9"]}')
        if verdicts['P10'] == 'refuted' and 'core-collision' not in found:
            errors.append(f'{kernel}: P10 is refuted, but nothing is found: {texts["P10"]}')
        if verdicts['P12'] == 'refuted' and 'moves to' in texts['P12'] and not found:
            errors.append(f'{kernel}: P12 is refuted, but nothing is found: {texts["P12"]}')
        whole = self.written_whole(kernel, args, files)
        if verdicts['P9'] == verdicts['P12'] == 'proved' and whole is False:
            errors.append(f'{kernel}: P12 is proved, but an output keeps bytes')
        if verdicts['P12'] == 'refuted' and 'never' in texts['P12'] and whole:
            errors.append(f'{kernel}: P12 is refuted, but outputs are written whole: {texts["P12"]}')
        for p in ('P9', 'P10', 'P11', 'P12'):
            clean = not any(p in OF[r] for r in found)
            if verdicts[p] == 'not proved' and clean and not (p == 'P12' and whole is False):
                self.false_alarms.append((kernel, p, texts[p]))
        return errors

    def check(self):
        code, said = tikc('verify', self.blob, '--format', 'json')
        if code != 0:
            return None
        errors, args = [], arguments(self.listing)
        for k in json.loads(said.splitlines()[0])['kernels']:
            verdicts = {p['property']: p['verdict'] for p in k['properties']}
            texts = {p['property']: p.get('text', '') for p in k['properties']}
            errors += self.check_kernel(k['name'], verdicts, texts, args[k['name']])
        return errors


# ---- mutants -----------------------------------------------------------------------------------------------------------------------

NUMBER = re.compile(r'(?<![\w"])(\d+)(?![\w"*])')


def mutant(rng, listing):
    """The listing with a line of its code left out, written twice, or with another number; null: it has none."""
    lines = listing.splitlines()
    code = [i for i, x in enumerate(lines) if ' @ ' in x and not x.lstrip().startswith(('loop', 'endloop', 'if', 'else', 'endif'))]
    if not code:
        return None
    i = rng.choice(code)
    kind = rng.randrange(3)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        j = rng.choice(code)
        lines[i], lines[j] = lines[j], lines[i]
    else:
        head, tail = lines[i].split(' @ ', 1)
        numbers = list(NUMBER.finditer(head))
        if not numbers:
            return None
        m = rng.choice(numbers)
        old = int(m.group())
        new = rng.choice([old + 1, max(old - 1, 0), old // 2, old + 32, max(old - 32, 0), 0, 1])
        lines[i] = head[:m.start()] + str(new) + head[m.end():] + ' @ ' + tail
    return '\n'.join(lines) + '\n'


def check_mutants(folder, blobs, n, tally):
    rng = random.Random(int(os.environ.get('TIKC_SEED', '1')))
    listings = [tikc('disasm', b)[1] for b in blobs]
    tried = 0
    for _ in range(n):
        text = mutant(rng, rng.choice(listings))
        blob = os.path.join(folder, 'm.tkb')
        if text is None or tikc('asm', '-', '-o', blob, text=text)[0] != 0:
            continue
        case = Case(folder, blob)
        errors = case.check()
        if errors is None:
            continue
        tried += 1
        if errors:
            keep = os.path.join(tempfile.gettempdir(), f'properties-mutant-{tried}.txt')
            with open(keep, 'w', encoding='utf-8') as f:
                f.write(text)
            errors = [e + f' ({keep})' for e in errors]
        tally(f'mutant {tried}', errors)
    print(f'{tried} mutants were accepted by tikc verify')


def main():
    args = sys.argv[1:]
    golden, mutants = None, 40
    if '--golden' in args:
        at = args.index('--golden')
        golden = args[at + 1]
        del args[at:at + 2]
    if '--mutants' in args:
        at = args.index('--mutants')
        mutants = int(args[at + 1])
        del args[at:at + 2]
    patterns = ['samples/*.tik', 'tests/cross/kernels/*.tik', 'tests/lit/blob/*.tik']
    patterns += ['tests/lit/tik/*.tik', 'tests/lit/passes/*.tik'] if golden or args else []
    files = [f for p in patterns for f in sorted(glob.glob(os.path.join(ROOT, p)))]
    files += sorted(glob.glob(os.path.join(golden, '**', '*.tik'), recursive=True)) if golden else []
    count = {'passed': 0, 'failed': 0}

    def tally(name, errors):
        count['failed' if errors else 'passed'] += 1
        for e in errors:
            print(f'{name}: {e}')

    alarms, blobs, kernels = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for n, path in enumerate(files):
            if args and not any(w in path for w in args):
                continue
            blob = os.path.join(folder, f'{n}.tkb')
            if tikc('build', path, '-o', blob, '--facts', folder)[0] != 0:
                continue
            case = Case(folder, blob)
            errors = case.check()
            if errors is None:
                continue
            kernels += 1
            tally(os.path.relpath(path, ROOT), errors)
            alarms += [(os.path.relpath(path, ROOT), *a) for a in case.false_alarms]
            blobs.append(blob)
        if mutants and blobs:
            check_mutants(folder, blobs, mutants, tally)
    for a in alarms:
        print('not proved, and nothing found: %s %s %s: %s' % a)
    print(f'{kernels} programs, {len(alarms)} properties not proved without a finding')
    if not args and not golden and len(alarms) > MOST_ALARMS:
        print(f'more than {MOST_ALARMS}')
        count['failed'] += 1
    print(f'{count["passed"]} passed, {count["failed"]} failed')
    return 1 if count['failed'] else 0


if __name__ == '__main__':
    sys.exit(main())
