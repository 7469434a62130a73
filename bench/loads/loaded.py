"""Kernels in this process: a compiled one, and the same as a blob for the emulator. For slices.py, conv.py and atomics.py."""
import ctypes
import itertools
import os
import statistics
import subprocess
import sys
import time


NUMBERS = itertools.count()  # a library that was loaded under a name stays
ERROR_BYTES = 4096  # more than a TikError has


class Array(ctypes.Structure):
    """TikArray of runtime/include/tikrt.h."""
    _fields_ = [('dtype', ctypes.c_int), ('elems', ctypes.c_int64), ('ndim', ctypes.c_int),
                ('shape', ctypes.c_int64 * 8), ('data', ctypes.c_void_p), ('bytes', ctypes.c_int64),
                ('items', ctypes.c_void_p), ('room', ctypes.c_int64)]


class Loaded:
    """A kernel of one output, ready to run; text names it k. Methods of a class that inherits are its contestants."""

    def __init__(self, build, folder, text, inputs, want, quiet=False):
        tikc, base = os.path.join(build, 'tikc'), os.path.join(folder, 'k%d' % next(NUMBERS))
        self.want = want
        with open(base + '.tik', 'w', encoding='ascii') as f:
            f.write(text)
        for kind, ending in (('shared', '.so'), ('blob', '.tkb')):
            subprocess.run([tikc, 'build', base + '.tik', '--emit', kind, '-o', base + ending], check=True,
                           stderr=subprocess.DEVNULL if quiet else None)
        self.rt = ctypes.CDLL(os.path.join(build, 'libtikrt.so'), mode=ctypes.RTLD_GLOBAL)
        self.descriptor = ctypes.c_byte.in_dll(ctypes.CDLL(base + '.so'), 'tik_kernel_k')
        with open(base + '.tkb', 'rb') as f:
            self.blob = f.read()
        self.arrays = [self.array(a) for a in (*inputs, want)]
        for a, given in zip(self.arrays, inputs):
            ctypes.memmove(a.data, given.ctypes.data, given.nbytes)
        self.args = (ctypes.POINTER(Array) * len(self.arrays))(*[ctypes.pointer(a) for a in self.arrays])
        self.error = ctypes.create_string_buffer(ERROR_BYTES)

    def array(self, like):
        a = Array()
        number = self.rt.tikrt_dtype(str(like.dtype).encode())
        if not self.rt.tik_array_alloc(ctypes.byref(a), number, ctypes.c_int64(like.size),
                                       ctypes.create_string_buffer(ERROR_BYTES)):
            sys.exit('bench: no memory')
        return a

    def host(self):
        self.ran(self.rt.tik_launch(ctypes.byref(self.descriptor), self.args, 1, self.error))

    def emulator(self):
        self.ran(self.rt.tik_emulate(self.blob, ctypes.c_size_t(len(self.blob)), 0, self.args, self.error))

    def ran(self, ok):
        if not ok & 1:
            sys.exit('bench: ' + repr([t for t in self.error.raw[4:600].split(b'\0') if t]))

    def check(self):
        """Both give what is wanted."""
        out = self.arrays[-1]
        for run in (self.host, self.emulator):
            ctypes.memset(out.data, 0, self.want.nbytes)
            run()
            if ctypes.string_at(out.data, self.want.nbytes) != self.want.tobytes():
                sys.exit('bench: %s gives other results' % run.__name__)

    def measure(self, contestants, rounds):
        """Median seconds of processor time of each, which take turns; not less than what the clock can tell."""
        times = {name: [] for name in contestants}
        for r in range(rounds):
            for i in range(len(contestants)):
                name = contestants[(i + r) % len(contestants)]
                start = time.process_time()
                getattr(self, name)()
                times[name].append(time.process_time() - start)
        least = time.get_clock_info('process_time').resolution
        return {name: max(statistics.median(t), least) for name, t in times.items()}
