#!/usr/bin/python3
"""The kernels of bench/kernels.py by all peers that there are.

usage: bench/run.py BUILD_DIR [--kernels a,b] [--peers x,y] [--threads 1,2] [--rounds N] [--ms N] [--json FILE]

Each peer is a process. Its first result is compared with a reference; a wrong one ends the run with exit code 1 after all
figures are printed. contest.py says how time is taken, docs/performance.md what the figures are."""
import argparse
import json
import sys

import contest
import peers
import report
from kernels import KERNELS


def arguments():
    args = argparse.ArgumentParser()
    args.add_argument('build')
    args.add_argument('--kernels', default='', help='names, with commas; "13" or "extra"')
    args.add_argument('--peers', default='', help='names, with commas; hand is hand-gcc and hand-clang')
    args.add_argument('--threads', default='1,2')
    args.add_argument('--rounds', type=int, default=5)
    args.add_argument('--ms', type=float, default=40, help='time of a turn')
    args.add_argument('--json', default='')
    return args.parse_args()


def chosen_kernels(names):
    groups = {'': lambda k: True, '13': lambda k: not k.extra, 'extra': lambda k: k.extra}
    if names in groups:
        return [k for k in KERNELS if groups[names](k)]
    known = {k.name: k for k in KERNELS}
    unknown = [n for n in names.split(',') if n not in known]
    if unknown:
        sys.exit('bench: no kernel is called %s; there are %s' % (unknown[0], ' '.join(known)))
    return [known[n] for n in names.split(',')]


def chosen_peers(found, names):
    """A name stands for all that begin with it and a mark: hand for hand-gcc, tikc for tikc.nz."""
    wanted = names.split(',') if names else []
    is_wanted = lambda p: any(p.name == w or p.name.startswith((w + '-', w + '.')) for w in wanted)
    return [p for p in found if not wanted or is_wanted(p)]


def main():
    args = arguments()
    found, absent = peers.all_peers(args.build)
    found = chosen_peers(found, args.peers)
    result = report.begin(absent)
    failed = {}
    with contest.folder_of(args.build) as folder:
        for threads in map(int, args.threads.split(',')):
            workers, unable = contest.start(found, threads)
            result['absent'].update(unable)
            result['peers'].update({w.name: w.version for w in workers})
            for kernel in chosen_kernels(args.kernels):
                figures, wrong = contest.compare(kernel, workers, folder, args.rounds, args.ms)
                report.add(result, kernel, threads, figures)
                report.print_kernel(kernel, threads, result)
                for name, why in wrong.items():
                    failed['%s of %s, %d threads' % (kernel.name, name, threads)] = why
            for w in workers:
                w.close()
    report.print_tables(result)
    if args.json:
        with open(args.json, 'w', encoding='ascii') as f:
            json.dump(result, f, indent=1)
    for what, why in failed.items():
        print('bench: WRONG %s: %s' % (what, why), file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
