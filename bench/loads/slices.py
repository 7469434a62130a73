#!/usr/bin/python3
"""Slice gathers on the host back end (one thread) and the emulator against numpy slicing and memcpy of as many bytes.

usage: bench/loads/slices.py BUILD_DIR [ROUNDS [REPETITIONS]]

One data_copy takes a slice out of global memory into 64 KB of UB at most; a kernel repeats it, and numpy copies the
same elements into an array of that size. Kernels are loaded into this process and contestants take turns; medians
of processor time. Results are compared first. Calls of numpy and of memcpy are made from Python, which costs each
about a microsecond."""
import ctypes
import os
import sys
import tempfile

import numpy as np

from loaded import Loaded

# name, dtype, shape of the tensor, what numpy takes, SliceInfo of global memory and of UB
CASES = [
    ('inside of a padded plane', 'float16', (134, 262), np.s_[3:131, 3:259],
     [(3, 258, 0, 16, 262), (3, 130, 0, 1, 134)], [(0, 255, 0, 16, 256), (0, 127, 0, 1, 128)]),
    ('every second line', 'float32', (256, 128), np.s_[::2, :],
     [(0, 127, 0, 16, 128), (0, 254, 1, 1, 256)], [(0, 127, 0, 16, 128), (0, 127, 0, 1, 128)]),
    ('columns of 96 bytes', 'float32', (512, 200), np.s_[:, 16:40],
     [(16, 39, 0, 3, 200), (0, 511, 0, 1, 512)], [(0, 23, 0, 3, 24), (0, 511, 0, 1, 512)]),
    ('columns of 32 bytes', 'float16', (1024, 80), np.s_[:, 24:40],
     [(24, 39, 0, 1, 80), (0, 1023, 0, 1, 1024)], [(0, 15, 0, 1, 16), (0, 1023, 0, 1, 1024)]),
    ('block of four dimensions', 'float16', (6, 10, 20, 70), np.s_[1:5:2, 2:10:2, 3:19, 5:69],
     [(5, 68, 0, 4, 70), (3, 18, 0, 1, 20), (2, 8, 1, 1, 10), (1, 3, 1, 1, 6)],
     [(0, 63, 0, 4, 64), (0, 15, 0, 1, 16), (0, 3, 0, 1, 4), (0, 1, 0, 1, 2)]),
    ('a whole plane', 'float32', (128, 128), np.s_[:, :],
     [(0, 127, 0, 16, 128), (0, 127, 0, 1, 128)], [(0, 127, 0, 16, 128), (0, 127, 0, 1, 128)]),
]

SOURCE = '''from tbe import tik
t = tik.Tik()
S = tik.SliceInfo
x = t.Tensor("{dtype}", {shape}, name="x", scope=tik.scope_gm)
y = t.Tensor("{dtype}", ({n},), name="y", scope=tik.scope_gm)
ub = t.Tensor("{dtype}", ({n},), name="ub", scope=tik.scope_ubuf)
with t.for_range(0, {repetitions}) as i:
    t.data_copy(ub, x, [{ub}], [{gm}], {dims})
t.data_copy(y, ub, {n})
t.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])
'''


class Kernel(Loaded):
    """One case, ready to run."""

    def __init__(self, build, folder, case, repetitions):
        _, dtype, shape, taken, gm, ub = case
        self.x = (np.arange(np.prod(shape)) % 2000).astype(dtype).reshape(shape)
        self.taken, self.repetitions = taken, repetitions
        self.want = np.ascontiguousarray(self.x[taken])
        self.out, self.flat = np.empty_like(self.want), self.want.copy()
        listed = lambda infos: ', '.join('S%r' % (i,) for i in infos)
        text = SOURCE.format(dtype=dtype, shape=tuple(shape), n=self.want.size, ub=listed(ub), gm=listed(gm),
                             dims=len(gm), repetitions=repetitions)
        super().__init__(build, folder, text, [self.x], self.want)

    def numpy(self):
        for _ in range(self.repetitions):
            np.copyto(self.out, self.x[self.taken])

    def memcpy(self):
        to, source, n = self.out.ctypes.data, self.flat.ctypes.data, self.out.nbytes
        for _ in range(self.repetitions):
            ctypes.memmove(to, source, n)


CONTESTANTS = ('host', 'emulator', 'numpy', 'memcpy')


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    print('\nslice gathers, GB/s of what is taken; above 1 is faster than numpy, than memcpy of as many bytes')
    print('%-26s %7s %9s %9s %9s %9s %9s %9s %9s' %
          ('slice', 'KB', *CONTESTANTS, '/ numpy', '/ memcpy', 'emu / np'))
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            kernel = Kernel(build, folder, case, repetitions)
            kernel.check()
            seconds = kernel.measure(CONTESTANTS, rounds)
            speed = [kernel.want.nbytes * repetitions / seconds[n] * 1e-9 for n in CONTESTANTS]
            print('%-26s %7.1f %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f' %
                  (case[0], kernel.want.nbytes / 1024, *speed, speed[0] / speed[2], speed[0] / speed[3],
                   speed[1] / speed[2]))


if __name__ == '__main__':
    main()
