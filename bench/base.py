#!/usr/bin/python3
"""Makes peers of another build of tikc.

usage: bench/base.py TIKC FOLDER PEER.c KERNEL.tik...

TIKC is the program in the build directory of another tree, or an installed one; libtikrt.so and the headers are looked for
beside it. FOLDER gets the kernels that it compiles, a link to its libtikrt.so and the peer that launches them."""
import os
import subprocess
import sys


def first(paths, what):
    for path in paths:
        if os.path.exists(path):
            return os.path.abspath(path)
    sys.exit('bench: no %s in %s' % (what, ' '.join(paths)))


def main():
    tikc, folder, peer, *kernels = sys.argv[1:]
    if not os.access(tikc, os.X_OK):
        sys.exit("bench: BASE names no program: '%s'" % tikc)
    beside = os.path.dirname(os.path.abspath(tikc))
    up = os.path.dirname(beside)
    runtime = first([beside + '/libtikrt.so', up + '/lib/libtikrt.so'], 'libtikrt.so')
    header = first([up + '/runtime/include/tikrt.h', up + '/include/tikrt/tikrt.h'], 'tikrt.h')
    include = os.path.dirname(header)
    os.makedirs(folder)
    os.symlink(runtime, os.path.join(folder, 'libtikrt.so.link'))
    subprocess.run(['cc', '-std=gnu11', '-D_GNU_SOURCE', '-O3', '-march=native', '-fPIC', '-shared', '-fvisibility=hidden', '-I' + include,
                    '-I' + os.path.dirname(include), '-o', os.path.join(folder, 'peer-tikc'), peer, '-ldl'], check=True)
    for kernel in kernels:
        out = os.path.join(folder, os.path.basename(kernel)[:-len('.tik')] + '.so')
        if subprocess.run([tikc, 'build', kernel, '--emit', 'shared', '-o', out], check=False).returncode != 0:
            print('bench: %s has no %s' % (tikc, kernel))


if __name__ == '__main__':
    main()
