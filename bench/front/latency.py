#!/usr/bin/python3
"""What a user waits for: whole processes from a cold start, with the output that they make.

usage: bench/front/latency.py BUILD_DIR [ROUNDS]

Contestants take turns. The least and the median of the wall clock, the median of processor time, peak memory; aims are
printed beside the figures and do not change the exit code, since they depend on the machine."""
import os
import statistics
import sys
import tempfile

import front_end
from measure import ROOT, Measure, write

EXAMPLE = os.path.join(ROOT, 'samples', 'example1_copy.tik')
LARGE = os.path.join(ROOT, 'samples', 'example3_large.tik')


def contestants(tikc, tmp):
    """(name, command, aim in milliseconds or None)"""
    many, lines = os.path.join(tmp, 'many.tik'), os.path.join(tmp, 'lines.tik')
    write(many, front_end.kernels_text(1000))
    write(lines, front_end.kernel_lines(1000))
    return [
        ('true (the floor)', ['/bin/true'], None),
        ('tikc --version', [tikc, '--version'], None),
        ('tikc check, example 1', [tikc, 'check', EXAMPLE], 3),
        ('tikc check, example 3', [tikc, 'check', LARGE], 3),
        ('tikc check, 1000 lines', [tikc, 'check', lines], None),
        ('tikc check, 1000 kernels', [tikc, 'check', many] + front_end.LIMITS, 300),
        ('tikc build, blob of example 3', [tikc, 'build', LARGE, '-o', os.path.join(tmp, 'e.tkb')], None),
        ('tikc build, object of example 3', [tikc, 'build', LARGE, '--emit', 'object', '-o', os.path.join(tmp, 'e.o')], None),
        ('tikc run on the host, example 1', [tikc, 'run', EXAMPLE], 40),
        ('tikc run on the host, example 3', [tikc, 'run', LARGE], 40),
        ('tikc run on the emulator, example 1', [tikc, 'run', EXAMPLE, '--backend', 'emu'], 5),
        ('tikc run on the emulator, example 3', [tikc, 'run', LARGE, '--backend', 'emu'], 5),
    ]


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15
    m = Measure(build)
    with tempfile.TemporaryDirectory() as tmp:
        rows = contestants(os.path.abspath(os.path.join(build, 'tikc')), tmp)
        wall, processor, memory = ({name: [] for name, _, _ in rows} for _ in range(3))
        for _ in range(rounds):
            for name, command, _ in rows:
                s, p, kb = m.figures(command)
                wall[name].append(s * 1e3)
                processor[name].append(p * 1e3)
                memory[name].append(kb / 1024)
    print('\nwhole processes, ms: least and median of the wall clock, median of processor time')
    for name, _, aim in rows:
        print('  %-36s %8.2f %8.2f %8.2f   peak %5.1f MB%s' %
              (name, min(wall[name]), statistics.median(wall[name]), statistics.median(processor[name]), max(memory[name]),
               '   aim %d' % aim if aim else ''))


if __name__ == '__main__':
    main()
