#!/usr/bin/python3
"""The examples of calls (docs/examples) run on native code and on the emulator with the same inputs, without a warning, also of bytes that
nothing has written (mode check); they give the same bits, and what they say of their arrays in the end is what numpy finds. With
TIKC_UPDATE=1 in the environment the lines after each '>>>' are written anew.

usage: tests/cross/examples.py [STEM]...   Ends with 'N passed, N failed'."""
import concurrent.futures
import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa: E402
import example_table as examples  # noqa: E402


def arrays(example, backend, folder):
    """What the kernel's arguments hold after a run on a back end; what the run printed. An error is raised as a RuntimeError."""
    names = re.findall(r'inputs=\[(.*?)\]', example.program)[-1] + ', ' + re.findall(r'outputs=\[(.*?)\]', example.program)[-1]
    names = [n for n in re.findall(r'\w+', names) if re.search(rf'^ *{n} = t.Tensor\(', example.program, re.M)]
    options = ['--backend', 'host'] if backend == 'host' else ['--mode', 'check']
    for key, values in example.settings.items():
        option = {'in': 'in ' + key[3:]}.get(key[:2], key).split()
        options += [o for v in values for o in ('--' + option[0], f'{option[1]}={v}' if option[1:] else v.split(',')[0])]
    for name in names:
        options += ['--out', f'{name}={folder}/{name}.{backend}.npy']
    run = subprocess.run([TIKC, 'run', example.stem + '.tik', *options], cwd=os.path.join(ROOT, examples.FOLDER), capture_output=True, text=True)
    if run.returncode or run.stderr:
        raise RuntimeError(f'{" ".join(run.args[1:])}\n{run.stderr}')
    return {n: np.load(f'{folder}/{n}.{backend}.npy') for n in names}, run.stdout


def run(example):
    """What an example leaves, by name, or what is wrong with it, as text."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            host, printed = arrays(example, 'host', folder)
            emu, printed_emu = arrays(example, 'emu', folder)
        except RuntimeError as e:
            return str(e)
    if printed != printed_emu:
        return f'native code prints:\n{printed}the emulator:\n{printed_emu}'
    for name, x in host.items():
        if x.tobytes() != emu[name].tobytes():
            return f'{name} differs between native code and the emulator:\n{x}\n{emu[name]}'
    return dict(host, np=np, printed=printed)


def look(example, globs):
    """What is wrong with an example, as text. It has the process's standard output for itself, which doctest replaces."""
    if isinstance(globs, str):
        return globs
    test = doctest.DocTestParser().get_doctest(example.checks, globs, example.stem, None, 0)
    if not test.examples:
        return 'it says nothing of its results'
    said = []
    runner = doctest.DocTestRunner(verbose=False)
    if 'TIKC_UPDATE' in os.environ:
        update(example, test.examples, globs)
        return ''
    runner.run(test, out=said.append)
    return ''.join(said)


def update(example, checks, globs):
    """Writes the lines after each '>>>' anew."""
    path = os.path.join(ROOT, examples.FOLDER, example.stem + '.tik')
    with open(path, encoding='utf-8') as f:
        text = f.read()
    lines = []
    for c in checks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(c.source, example.stem, 'single'), globs)
        lines += ['>>> ' + c.source.rstrip('\n')] + out.getvalue().splitlines()
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text[:text.index('\n# >>> ') + 1] + ''.join(f'# {l}\n' for l in lines))


def main():
    found = [examples.read(s) for s in sys.argv[1:] or examples.stems()]
    np.set_printoptions(linewidth=120)
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        left = list(pool.map(run, found))
    for example, globs in zip(found, left):
        text = look(example, globs)
        passed, failed = passed + (not text), failed + bool(text)
        if text:
            print(f'FAILED {example.stem}\n{text}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
