#!/usr/bin/python3
"""Random kernels (gen.py, rows.py) on native code at two optimisation levels, on the emulator and on the numpy model:
the same bytes, or the same fault. TIKC_PROGRAMS sets their number (4000), TIKC_SEED the first seed (1); the
model runs each TIKC_MODEL-th (4). Each program is compiled as it is written and as the passes leave it: most are at -O0,
which takes a fifth of the time, one module in TIKC_FAST (4) has the second of them at -O2. Each failure prints the seed and
the program. Ends with 'N passed, N failed'.
usage: differential.py [--jobs N] [--progress SECONDS]   counts and failures on stderr meanwhile, and how to go on (seeds.py)
       differential.py SEED                              prints that program and runs it alone, with all checks: at each
                                                         level, with replay of its passes, and on the model; so does
                                                         TIKC_SEED=SEED with TIKC_PROGRAMS=1"""
import argparse
import collections
import os
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD  # noqa
import gen  # noqa: E402
import ref_model  # noqa: E402
import seeds  # noqa: E402

SIZE = int(os.environ.get('TIKC_MODULE', '1000'))  # programs of one process
MODEL = int(os.environ.get('TIKC_MODEL', '4'))
FAST = int(os.environ.get('TIKC_FAST', '4'))


def levels_of(p):
    """At which levels diffrun compiles a program; t is -O0, as the passes leave it."""
    return '02' if (p.seed // SIZE + sorted(gen.SOCS).index(p.soc)) % FAST == 0 else '0t'


def encode(programs, inputs, number, levels):
    """Programs of one processor as one job, whose results are called number, number + 1 ..."""
    source = ''.join(p.source(f'k{p.seed}') for p in programs).encode()
    out = [b'PROGRAM %d %d %s %s\n' % (number, len(source), programs[0].soc.encode(), levels.encode()), source, b'\n']
    for k, given in enumerate(inputs):
        for name, a in given.items():
            raw = a.tobytes()
            out += [b'IN %s %d %d\n' % (name.encode(), len(raw), k), raw, b'\n']
    return b''.join(out + [b'END\n'])


def results(raw):
    """{number: (status, detail, {tensor: bytes})} from what diffrun printed."""
    out, at = {}, 0
    while at < len(raw):
        end = raw.index(b'\n', at)
        line = raw[at:end].decode(errors='replace')
        at = end + 1
        if line.startswith('RESULT '):
            _, seed, status, *detail = line.split(' ')
            entry = (status, ' '.join(detail), {})
            out[int(seed)] = entry
        elif line.startswith('OUT '):
            _, name, size = line.split(' ')
            entry[2][name] = raw[at:at + int(size)]
            at += int(size) + 1
    return out


def expected(p, inputs):
    try:
        out = p.run(inputs)
        return 'ok', None if out is None else out.tobytes()
    except ref_model.Fault as f:
        return 'fault', f.args[0]


def verdict(p, inputs, got, modelled):
    """None, or what is wrong."""
    if got is None:
        return 'no result (crash?)'
    status, detail, outs = got
    if status == 'reject':  # what faults in every execution may be told while compiling
        status = 'fault'
        detail = detail.replace(':', ' ', 1)
    if not modelled:
        want = 'fault' if p.faulty else 'ok'
        return None if status == want else f'{status} {detail}; it should be {want}'
    want, what = expected(p, inputs)
    if status != want:
        return f'{status} {detail}; the model says {want} {what if want == "fault" else ""}'
    if want == 'fault':
        rule = detail.split(' ')[0]
        return None if rule == what else f'fault {detail}; the model says {what}'
    if what is not None and outs['out0'] != what:
        first = next(i for i, (a, b) in enumerate(zip(outs['out0'], what)) if a != b)
        return f'out0 differs from the model, first at byte {first}'
    return None


def execute(jobs):
    """Runs diffrun on jobs; (results, what is wrong with the process)."""
    run = subprocess.run([os.path.join(BUILD, 'tools/diffrun')], input=b''.join(jobs), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    failed = f'diffrun ended with {run.returncode}: ' + run.stderr.decode(errors='replace')[-2000:]
    return results(run.stdout), failed if run.returncode else ''


def run_programs(part):
    """(how many pass, [what is wrong], statistics) of the programs of a range of seeds.

    All programs of a processor and a level are one module: their code shares helper functions. Those with a fault are
    alone, since a module with one that is refused while compiling is not executed."""
    one = part[1] - part[0] == 1
    kind = lambda p: (p.soc, '0t2v' if one else levels_of(p), p.faulty)
    programs = sorted((gen.program(s) for s in range(*part)), key=kind)
    inputs = [p.inputs() for p in programs]
    jobs = []
    for k, p in enumerate(programs):
        if k == 0 or p.faulty or kind(p) != kind(programs[k - 1]):
            n = 1 if p.faulty else sum(kind(q) == kind(p) for q in programs)
            jobs.append(encode(programs[k:k + n], inputs[k:k + n], k, kind(p)[1]))
    got, failed = execute(jobs)
    if failed or len(got) < len(programs):
        got, failed = execute([encode([p], [i], k, kind(p)[1]) for k, (p, i) in enumerate(zip(programs, inputs))])
    bad, counts = [], collections.Counter()
    for k, (p, i) in enumerate(zip(programs, inputs)):
        modelled = one or p.seed % MODEL == 0
        wrong = verdict(p, i, got.get(k), modelled)
        counts['expected faults'] += got.get(k, ('',))[0] == 'fault'
        counts['by the model'] += modelled
        counts['at -O2'] += '2' in kind(p)[1]
        if wrong:
            bad.append(f'seed {p.seed}: {wrong}\n{p.source()}')
    if failed:
        bad.append(f'seeds {part[0]}..{part[1] - 1}: {failed}')
    return len(programs) - len(bad), bad, counts


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('seed', nargs='?', type=int)
    seeds.add_options(ap)
    a = ap.parse_args()
    first, count = int(os.environ.get('TIKC_SEED', '1')), int(os.environ.get('TIKC_PROGRAMS', '4000'))
    if a.seed is not None:
        first, count = a.seed, 1
        print(gen.program(first).source())
    return seeds.work_through(run_programs, first, count, SIZE, a)


if __name__ == '__main__':
    sys.exit(main())
