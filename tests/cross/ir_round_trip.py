#!/usr/bin/python3
"""The text of a kernel (docs/ir.md) carries all that the back ends need: for each program of samples/, tests/cross/kernels,
tests/cross/operators and tests/lit that builds a blob from its source alone,

    the text as it was staged (--emit ir --passes none)   builds the same blob, has the same trace and facts,
    the text after all passes (--emit ir)                 builds the same blob and is its own text again.

Blobs are compared as `tikc disasm` shows them, from which `tikc asm` makes their bytes again, but for two things: places in
sources and frames of calls, since those of a text are its own, and the numbers of regions, which a text lists in another order.

    ir_round_trip.py [FILE...]

The tool is $TIKC, else build/tikc. Ends with a line "N passed, N failed"; exit code 1 if there is a difference."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa
import programs

AT_LEAST = 400  # programs that build; else the tool or the lists are not what they should be


def tikc(*args):
    run = subprocess.run([TIKC, *args], capture_output=True, timeout=300)
    if run.returncode:
        raise RuntimeError('tikc %s: %s' % (' '.join(args), run.stderr.decode(errors='replace')[:500]))
    return run.stdout.decode()


def code(blob):
    """What a blob does, without where it comes from; a region is called by what it is."""
    text = re.sub(r' @ "(?:[^"\\]|\\.)*"(?: \d+:\d+)?', '', tikc('disasm', blob))
    text = re.sub(r' in \d+(?=$| named )', '', text, flags=re.M)
    parts = re.split(r'^(?=kernel )', re.sub(r'^frame .*\n', '', text, flags=re.M), flags=re.M)
    return parts[:1] + [with_regions(part) for part in parts[1:]]


def with_regions(kernel):
    head, rest = kernel.split('\ncode\n', 1)
    region = r'^region (\d+) (.*(?:\n(?:#|data ).*)*)'
    called = dict(re.findall(region, head, re.M))
    rest = re.sub(r'\b((?:u?int|b?float|bool)\d*\[)(\d+)(?=[,\]])', lambda m: m[1] + called[m[2]], rest)
    return re.sub(region, '', head, flags=re.M) + '\n'.join(sorted(called.values())) + '\ncode\n' + rest


def first_difference(want, got):
    pairs = zip(''.join(want).splitlines() + ['end'], ''.join(got).splitlines() + ['end'])
    return next(('%s, not %s' % (g.strip()[:200], w.strip()[:200]) for w, g in pairs if w != g), 'the number of lines')


def facts(folder):
    """KERNEL.json of each kernel; names of files and what the program reported itself aside."""
    found = {}
    for name in sorted(os.listdir(folder)):
        text = open(os.path.join(folder, name), encoding='utf-8').read()
        found[name] = re.sub(r'"(binFileName|compileInfo|buildResults)": .*\n', '', text)
    return found


def trace(*source):
    """With variables in the order in which they occur: the recorder has numbers for loops that it drops, too."""
    numbers = {}
    return re.sub(r'\bv\d+\b', lambda m: 'v%d' % numbers.setdefault(m[0], len(numbers)), tikc('build', *source, '--emit', 'trace'))


def build(folder, name, *source):
    """The code and the facts of the blob of a source."""
    blob, beside = os.path.join(folder, name + '.tkb'), os.path.join(folder, name + '.facts')
    os.mkdir(beside)
    tikc('build', *source, '-o', blob, '--facts', beside)
    return code(blob), facts(beside)


def differences(program, folder):
    """None: the program builds no blob from its source alone."""
    source = [program.path] + (['--call', program.call] if program.call else [])
    try:
        want, want_facts = build(folder, 'source', *source)
    except RuntimeError:
        return None
    found = []
    texts = {}
    for name, options in (('staged', ['--passes', 'none']), ('passed', [])):
        path = texts[name] = os.path.join(folder, name + '.ir')
        tikc('build', *source, '--emit', 'ir', *options, '-o', path)
        try:
            got, got_facts = build(folder, name, path)
        except RuntimeError as e:
            found.append('%s: %s' % (name, e))
            continue
        if got != want:
            found.append('%s: another blob: %s' % (name, first_difference(want, got)))
        if got_facts != want_facts:
            found.append('%s: other facts' % name)
    if not found and trace(texts['staged']) != trace(*source):
        found.append('staged: another trace')
    again = '' if found else tikc('build', texts['passed'], '--emit', 'ir', '-o', '-')
    if not found and again != open(texts['passed'], encoding='utf-8').read():
        found.append('passed: another text')
    return found


def verdict(program):
    if b'tikc: allow(' in open(program.path, 'rb').read():  # of a comment, which the text has not
        return program, None
    with tempfile.TemporaryDirectory() as folder:
        return program, differences(program, folder)


def main():
    wanted = [os.path.abspath(f) for f in sys.argv[1:]]
    todo = programs.kernels() + [programs.Program(f, None) for f in programs.files('samples', 'tests/lit')]
    todo = [p for p in todo if not wanted or os.path.abspath(p.path) in wanted]
    passed, bad = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, found in pool.map(verdict, todo):
            passed += found == []
            bad += bool(found)
            for f in found or []:
                print('%s: %s%s' % (os.path.relpath(program.path, programs.ROOT), f, ', of ' + program.call if program.call else ''))
    if not wanted and passed + bad < AT_LEAST:
        print('only %d programs build' % (passed + bad))
        bad += 1
    print('%d passed, %d failed' % (passed, bad))
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
