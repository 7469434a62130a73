#!/usr/bin/python3
"""Kernels whose queues execute them (--sync auto): every sample, and the kernels of tests/cross/kernels and tests/lit that compile.

1. 'tikc verify' proves that the flags and barriers that were inserted order the queues.
2. Without any one of them, each in turn, it refuses the blob: none is needless, and none that is missing goes unnoticed. Programs with barriers of their own keep these.
3. The emulator executes the kernel in SCHEDULES orders of its queues, on random inputs; all outputs are those of the program's order.
4. The mode check compares the queues of that one run by what flags and barriers say (race, waw-no-barrier, sync-overrun): it finds nothing, and without the
   flags between two queues of a sample it finds something, except MISSED: it does not look at special registers, LMEM, and reads by contents.
5. Without a flag (its set_flags and wait_flags together, so that nothing hangs) some order of execution of the samples in
   SEEN shows a difference: the orders that are tried are wide enough to see what the proof refuses.

usage: [TIKC=TOOL] sync_auto.py [--schedules N] [--all] [--golden FOLDER] [TEXT...]: only files whose names contain one of the texts; --all: step 2
for every kernel, else for the samples and every eighth of the others; --golden: also the programs that run_golden.py --keep has made there. Ends with 'N passed, N failed'."""
import glob
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa

SEEN = {'add_tiled': 3, 'softmax': 4, 'flags_in_turn': 3, 'scale': 2}  # at least that many flags are missed
DTYPES = {'float16': np.float16, 'float32': np.float32, 'bfloat16': np.uint16, 'bool': np.uint8}
MISSED = {'atomic_sum': 1, 'conv_int8': 1, 'nms': 1, 'lmem_bias_add': 2, 'lmem_conv': 4, 'lmem_round_trip': 2}
RACES = re.compile(r'"name":"(race|waw-no-barrier|sync-overrun)"')
INSERTED = re.compile(r'^\s*(set_flag|wait_flag|pipe_barrier) ')
rng = np.random.default_rng(15)


def tikc(*args):
    p = subprocess.run([TIKC, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT, errors='replace')
    return p.returncode, p.stdout


class Blob:
    """A blob in a folder, with its text."""

    def __init__(self, folder, path):
        self.folder, self.path = folder, path
        self.text = tikc('disasm', path)[1].splitlines(keepends=True)

    def inserted(self):
        return [i for i, line in enumerate(self.text) if INSERTED.match(line)]

    def without(self, lines):
        text = os.path.join(self.folder, 'less.txt')
        out = os.path.join(self.folder, 'less.tkb')
        with open(text, 'w', encoding='utf-8') as f:
            f.writelines(line for i, line in enumerate(self.text) if i not in lines)
        code, said = tikc('asm', text, '-o', out)
        assert code == 0, said
        return out

    def inputs(self):
        """Random contents of each kernel's inputs; null: it has lists, or sizes that only the run knows."""
        kernels, name = {}, None
        for line in self.text:
            m = re.match(r'kernel "([^"]*)"', line)
            if m:
                name = m.group(1)
                kernels[name] = []
            m = re.match(r'arg "([^"]*)" (\w+) (\w+) \((.*?)\)(.*)', line)
            if m and (m.group(2) == 'list' or 'open' in m.group(5)):
                kernels[name] = None
            elif m and m.group(2) == 'input' and kernels[name] is not None:
                shape = [int(x) for x in m.group(4).split(',')]
                kernels[name].append((m.group(1), m.group(3), shape))
        return kernels


def contents(dtype, shape):
    if dtype in ('float16', 'float32'):
        return rng.standard_normal(shape).astype(dtype)
    t = np.dtype(DTYPES.get(dtype, dtype))
    return rng.integers(0, 2 if dtype == 'bool' else 60, shape).astype(t)


def run(blob, path, kernel, files, schedules):
    args = [x for name, file in files for x in ('--in', name + '=' + file)]
    explore = ('--mode', 'explore', '--schedules', str(schedules)) if schedules else ()
    return tikc('run', path, '--kernel', kernel, *explore, *args)


def make_inputs(blob, kernel, args):
    """Inputs with which the kernel runs: random ones, else zeros; null: neither."""
    for zeros in (False, True):
        files = []
        for i, (name, dtype, shape) in enumerate(args):
            file = os.path.join(blob.folder, f'in{i}.npy')
            data = contents(dtype, shape)
            np.save(file, np.zeros_like(data) if zeros else data)
            files.append((name, file))
        if run(blob, blob.path, kernel, files, 0)[0] == 0:
            return files
    return None


def check_schedules(blob, schedules):
    errors, ran = [], 0
    for kernel, args in blob.inputs().items():
        files = None if args is None else make_inputs(blob, kernel, args)
        if files is not None:
            code, said = run(blob, blob.path, kernel, files, schedules)
            ran += 1
            if code != 0:
                errors.append(f'{kernel}: {said[:300]}')
    return errors, ran


def writes_barriers(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return 'pipe_barrier' in f.read()


def check_each_needed(blob):
    errors = []
    for line in blob.inserted():
        code, said = tikc('verify', blob.without({line}))
        if code != 4 and 'refused' not in said:
            errors.append(f'line {line + 1} is needless: {blob.text[line].strip()}')
    return errors


def flags_of(blob):
    """The lines of each flag, by queues and the number of the id where it is constant."""
    flags = {}
    for line in blob.inserted():
        m = re.match(r'\s*(?:set|wait)_flag pipe=(\d) trigger_pipe=(\d) event_id=(\w+)', blob.text[line])
        if m:
            flags.setdefault((m.group(1), m.group(2)), set()).add(line)
    return flags


def missed_races(blob):
    """Flags, all of two queues together, without which the mode check finds nothing; and whether it finds something with all of them."""
    missed, wrong = 0, []
    for kernel, args in blob.inputs().items():
        files = None if args is None else make_inputs(blob, kernel, args)
        if files is None:
            continue
        mode = [x for name, file in files for x in ('--in', name + '=' + file)] + ['--kernel', kernel, '--mode', 'check', '--format', 'json']
        said = tikc('run', blob.path, *mode)[1]
        wrong += [f'{kernel}: {said[:300]}'] if RACES.search(said) else []
        for pipes, lines in flags_of(blob).items():
            said = tikc('run', blob.without(lines), *mode)[1]
            missed += RACES.search(said) is None
    return missed, wrong


def seen_differences(blob):
    """Flags without which some order of the queues gives another result, a hang or another error."""
    seen = 0
    for lines in flags_of(blob).values():
        less = blob.without(lines)
        for kernel, args in blob.inputs().items():
            files = None if args is None else make_inputs(blob, kernel, args)
            if files is not None and run(blob, less, kernel, files, 100)[0] != 0:
                seen += 1
                break
    return seen


def check(path, folder, schedules, each):
    blob = os.path.join(folder, 'k.tkb')
    code, said = tikc('build', path, '--sync', 'auto', '-o', blob, '--facts', folder)
    if code != 0:
        return ['does not build: ' + said[:300]], 0
    if 'sync-unused' in said:
        return [], 0
    code, said = tikc('verify', blob)
    if code != 0 or any('queues in order' not in line for line in said.splitlines()[1:] if line[0] != ' '):
        return ['is not proved: ' + said[:300]], 0
    b = Blob(folder, blob)
    errors, ran = check_schedules(b, schedules)
    if each:
        errors += [] if writes_barriers(path) else check_each_needed(b)
        missed, wrong = missed_races(b)
        name = os.path.splitext(os.path.basename(path))[0]
        most = MISSED.get(name, 0) if path.startswith('samples/') else missed
        errors += wrong + ([f'{missed} times the mode check does not miss the flags of two queues'] if missed > most else [])
    name = os.path.splitext(os.path.basename(path))[0]
    if path.startswith('samples/') and name in SEEN and seen_differences(b) < SEEN[name]:
        errors.append(f'less than {SEEN[name]} missing flags were seen in 100 orders')
    return errors, ran


def main():
    args = sys.argv[1:]
    schedules, everything = 24, '--all' in args
    if '--schedules' in args:
        at = args.index('--schedules')
        schedules = int(args[at + 1])
        del args[at:at + 2]
    golden = []
    if '--golden' in args:
        at = args.index('--golden')
        golden = sorted(glob.glob(os.path.join(os.path.abspath(args[at + 1]), '**', '*.tik'), recursive=True))
        del args[at:at + 2]
    words = [a for a in args if not a.startswith('-')]
    files = golden + [os.path.relpath(f, ROOT) for pattern in ('samples/*.tik', 'tests/cross/kernels/*.tik', 'tests/lit/**/*.tik')
             for f in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))]
    passed = failed = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, path in enumerate(files):
            if words and not any(w in path for w in words):
                continue
            if tikc('build', path, '-o', os.path.join(folder, 'k.tkb'), '--facts', folder)[0] != 0:
                continue
            each = everything or path.startswith(('samples/', 'tests/lit/cli/sync')) or i % 8 == 0
            errors, n = check(path, folder, schedules, each)
            ran += n
            passed += not errors
            failed += bool(errors)
            for e in errors:
                print(f'{path}: {e}')
    print(f'{ran} kernels were executed in {schedules} orders')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
