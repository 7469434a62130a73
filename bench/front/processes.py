#!/usr/bin/python3
"""The front end alone.

usage: bench/front/processes.py BUILD_DIR [--quick]

1. the front end (front_end.py): kernels of 10,000 to 1,000,000 lines, staging, plain Python, against
   CPython with the recording stub; peak memory
2. blob bytes for trip counts 1, 10 and 10^6: must be equal, or the exit code is 1

Times are medians; contestants take turns. Aims are printed beside the figures and do not change the
exit code, since they depend on the machine.
"""
import argparse
import os
import sys
import tempfile

import front_end
from measure import Measure, write


def trip_kernel(trips):
    return ("from tbe import tik\nt = tik.Tik()\n"
            "g = t.Tensor('float16', (128,), name='g', scope=tik.scope_gm)\n"
            "with t.for_range(0, %s) as i:\n"
            "    u = t.Tensor('float16', (128,), name='u', scope=tik.scope_ubuf)\n"
            "    t.data_move(u, g, 0, 1, 8, 0, 0)\n"
            "    t.vec_add(128, u, u, u, 1, 8, 8, 8)\n"
            "    t.data_move(g, u, 0, 1, 8, 0, 0)\n"
            "t.BuildCCE(kernel_name='trips', inputs=[], outputs=[g])\n") % trips


def blob_sizes(m, tikc, tmp):
    sizes = []
    print('\nblob bytes by trip count (must be equal)')
    for trips in (1, 10, 10 ** 6):
        path = os.path.join(tmp, 'trips%d.tik' % trips)
        blob = os.path.join(tmp, 'trips%d.tkb' % trips)
        # The name of the source is in the blob, so it is the same each time.
        same = os.path.join(tmp, 'trips.tik')
        write(path, trip_kernel('TRIPS'))
        os.replace(path, same)
        m.once([tikc, 'build', same, '-D', 'TRIPS=%d' % trips, '-o', blob])
        sizes.append(os.path.getsize(blob))
        print('  %8d trips %8d bytes' % (trips, sizes[-1]))
    return len(set(sizes)) == 1


def main():
    args = argparse.ArgumentParser()
    args.add_argument('build')
    args.add_argument('--quick', action='store_true', help='fewer rounds, smaller programs')
    args = args.parse_args()
    tikc = os.path.abspath(os.path.join(args.build, 'tikc'))
    m = Measure(args.build)
    with tempfile.TemporaryDirectory() as tmp:
        rounds = 1 if args.quick else 3
        front_end.kernel_text(m, tikc, tmp, [2000, 5000] if args.quick else [10000, 100000, 1000000], rounds)
        front_end.many_kernels(m, tikc, tmp, 100 if args.quick else 1000, rounds)
        front_end.staging(m, tikc, tmp, 2 if args.quick else 50, rounds)
        front_end.plain_python(m, args.build, rounds)
        if not blob_sizes(m, tikc, tmp):
            sys.exit('bench: the size of a blob depends on a trip count')


if __name__ == '__main__':
    main()
