#!/usr/bin/python3
"""Random programs of vector calls (vector_gen/chain.py) on native code and on the emulator: the same bytes in all
on-core memory at the end, or the same fault. A part also runs on the numpy model (vector_model).

Hundreds of programs are one module, so that their native code shares its helper functions; most modules are compiled
at -O0, one in TIKC_FAST (8) at -O2. TIKC_CHAINS sets the number of programs (20000), TIKC_SEED the first one
(0); the model runs each TIKC_MODEL-th (20). Each failure prints the program and its number. Ends with 'N passed, N failed'.
usage: vector_programs.py [--jobs N] [--progress SECONDS]   counts and failures on stderr meanwhile, and how to go on (seeds.py)
       vector_programs.py NUMBER                            prints that program, and runs it alone at both levels, with replay of its passes, and on the model"""
import argparse
import collections
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import seeds  # noqa: E402
from differential import execute  # noqa: E402
from vector_gen import chain, draw  # noqa: E402

SIZE = 1000          # programs of one module
CALLS = 300          # calls that they choose from
PROCESSORS = sorted(draw.PROCESSORS)
MODEL = int(os.environ.get('TIKC_MODEL', '20'))
FAST = int(os.environ.get('TIKC_FAST', '8'))


def pool_of(module):
    return chain.Pool(PROCESSORS[module % len(PROCESSORS)], module, CALLS)


def level_of(module):
    return '2' if module % FAST == 0 else '0'


def job(programs, levels, show):
    pool = programs[0].pool
    source = chain.module(programs).encode()
    return b'PROGRAM 0 %d %s %s %d\n%s\nIN pool %d\n%s\nEND\n' % (
        len(source), pool.processor.encode(), levels.encode(), show, source, len(pool.image), pool.image)


def judge_model(p, out):
    """What the model says of a program that ran."""
    want, sure = p.run()
    if out == want or not sure:
        return None
    at = next(i for i, (a, b) in enumerate(zip(out, want)) if a != b)
    return (f'slot u{at // chain.SLOT % p.slots} of core {at // chain.SLOT // p.slots} differs from the model, '
            f'first at byte {at % chain.SLOT}: {out[at]:02x}, the model says {want[at]:02x}')


def verdict(p, result, compare):
    """None, or what is wrong."""
    if result is None:
        return 'no result (crash?)'
    status, detail, outs = result
    if status == 'fault' and p.went_wild:
        return None
    if status != 'ok':
        return f'{status} {detail}'
    return judge_model(p, outs['out']) if compare and not p.went_wild else None


def alone(p, levels='02v'):
    got, failed = execute([job([p], levels, 1)])
    return verdict(p, got.get(0), True) or failed or None


def culprits(programs):
    """A module was refused, or the process died: which programs are it?"""
    out = []
    for p in programs:
        wrong = alone(p)
        if wrong:
            out.append((p, wrong))
            if len(out) == 3:
                break
    return out or [(programs[0], 'fails, but only together with the others of its module')]


def run_module(work):
    """(programs that pass, [what is wrong], statistics) of the programs number first to last - 1 of one module."""
    first, last = work
    module = first // SIZE
    pool = pool_of(module)
    programs = [chain.Program(pool, q) for q in range(first, last)]
    got, failed = execute([job(programs, level_of(module), MODEL)])
    if failed or len(got) < len(programs) or any(r[0] in ('reject', 'error') for r in got.values()):
        wrong = culprits(programs)
    else:
        wrong = [(p, why) for k, p in enumerate(programs) if (why := verdict(p, got[k], k % MODEL == 0))]
    counts = collections.Counter(status for status, _, _ in got.values())
    counts['level ' + level_of(module)] = len(programs)
    return len(programs) - len(wrong), [f'program {p.seed}: {why}\n{p.source()}' for p, why in wrong], counts


def show_one(number):
    p = chain.Program(pool_of(number // SIZE), number)
    print(f'# {p.pool.processor}; usage: vector_programs.py {number}\nfrom tbe import tik\n' + p.source())
    wrong = alone(p)
    print(wrong or 'equal')
    return 1 if wrong else 0


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('number', nargs='?', type=int)
    seeds.add_options(ap)
    a = ap.parse_args()
    if a.number is not None:
        return show_one(a.number)
    first, count = int(os.environ.get('TIKC_SEED', '0')), int(os.environ.get('TIKC_CHAINS', '20000'))
    return seeds.work_through(run_module, first, count, SIZE, a)


if __name__ == '__main__':
    sys.exit(main())
