#!/usr/bin/python3
"""Sums of several cores in global memory by atomic additions: compiled code on one thread and on all, the emulator, and
the same in numpy. Cores add in the order of their index, so all give the same bits.

usage: bench/loads/atomics.py BUILD_DIR [ROUNDS]

Each core loads 64 KB, scales them some times and adds them to the output. Wall time, since threads are what it is
about; contestants take turns, medians. Results are compared first."""
import ctypes
import os
import statistics
import sys
import tempfile
import time

import numpy as np

from loaded import Loaded

N = 16384
# cores, how often each scales what it has loaded
CASES = [(1, 1), (8, 1), (8, 100), (32, 1), (32, 100)]
SOURCE = '''from tbe import tik
t = tik.Tik()
x = t.Tensor("float32", ({cores}, 16384), name="x", scope=tik.scope_gm)
y = t.Tensor("float32", (16384,), name="y", scope=tik.scope_gm, is_atomic_add=True)
with t.for_range(0, {cores}, block_num={cores}) as core:
    ub = t.Tensor("float32", (16384,), name="ub", scope=tik.scope_ubuf)
    t.data_move(ub, x[core, 0], 0, 1, 2048, 0, 0)
    with t.for_range(0, {times}):
        t.vec_muls(64, ub, ub, 0.5, 255, 8, 8)
        t.vec_muls(64, ub[16320], ub[16320], 0.5, 1, 8, 8)
    t.set_atomic_add(1)
    t.data_move(y, ub, 0, 1, 2048, 0, 0)
    t.set_atomic_add(0)
t.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])
'''


class Kernel(Loaded):
    def __init__(self, build, folder, cores, times):
        self.x = (np.arange(cores * N) % 1999 * np.float32(0.37)).astype(np.float32).reshape(cores, N)
        self.times = times
        self.out = np.empty(N, np.float32)
        self.numpy()
        super().__init__(build, folder, SOURCE.format(cores=cores, times=times), [self.x], self.out.copy())

    def threads(self):
        self.ran(self.rt.tik_launch(ctypes.byref(self.descriptor), self.args, 0, self.error))

    def numpy(self):
        self.out[:] = 0
        for row in self.x:
            part = row.copy()
            for _ in range(self.times):
                np.multiply(part, np.float32(0.5), part)
            np.add(self.out, part, self.out)

    def wall(self, contestants, rounds):
        times = {name: [] for name in contestants}
        for r in range(rounds):
            for i in range(len(contestants)):
                name = contestants[(i + r) % len(contestants)]
                start = time.perf_counter()
                getattr(self, name)()
                times[name].append(time.perf_counter() - start)
        return {name: statistics.median(t) for name, t in times.items()}


CONTESTANTS = ('host', 'threads', 'emulator', 'numpy')


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    print('\natomic sums of cores, microseconds; threads: on all of them; above 1 is faster than numpy')
    print('%5s %7s %9s %9s %9s %9s %12s %12s' % ('cores', 'scaled', *CONTESTANTS, 'host / numpy', 'thr / host'))
    with tempfile.TemporaryDirectory() as folder:
        kernels = [Kernel(build, folder, cores, times) for cores, times in CASES]  # all alive: their names are of their addresses
        for kernel, (cores, times) in zip(kernels, CASES):
            kernel.check()
            t = kernel.wall(CONTESTANTS, rounds)
            print('%5d %7d %9.1f %9.1f %9.1f %9.1f %12.2f %12.2f' %
                  (cores, times, *(t[n] * 1e6 for n in CONTESTANTS), t['numpy'] / t['host'], t['host'] / t['threads']))


if __name__ == '__main__':
    main()
