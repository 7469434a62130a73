#!/usr/bin/python3
"""lane_conv2d on the host back end (one thread) and the emulator against a convolution written by hand in C
(conv_baseline.c, -O3 -march=native), in one process.

usage: bench/loads/conv.py BUILD_DIR [ROUNDS [REPETITIONS]]

A kernel loads the image and the packed weight into LMEM once and repeats the convolution; the hand-written one has plain
arrays. Both take turns; medians of processor time. Giga-operations per second count a product and a sum as two. Results
are compared first: int8 with requantisation, float32 sums in the same order."""
import ctypes
import os
import sys
import tempfile

import numpy as np

from loaded import Loaded

# name, processor, dtype, input channels, height and width, output channels, kernel, stride, padding, depthwise
CASES = [
    ('3x3 28x28 64 to 64', 'bm1684x', 'int8', 64, 28, 64, 3, 1, 1, False),
    ('3x3 28x28 64 to 64', 'bm1688', 'int8', 64, 28, 64, 3, 1, 1, False),
    ('1x1 28x28 128 to 128', 'bm1684x', 'int8', 128, 28, 128, 1, 1, 0, False),
    ('3x3 56x56 3 to 32, stride 2', 'bm1684x', 'int8', 3, 56, 32, 3, 2, 1, False),
    ('depthwise 3x3 56x56 of 64', 'bm1684x', 'int8', 64, 56, 64, 3, 1, 1, True),
    ('3x3 28x28 64 to 64', 'bm1684x', 'float32', 64, 28, 64, 3, 1, 1, False),
]
CONTESTANTS = ('host', 'emulator', 'hand')

SOURCE = '''from tbe import tik
t = tik.Tik(tik.Dprofile("{soc}"))
x_gm = t.Tensor("{dtype}", (1, {ic}, {h}, {h}), name="x_gm", scope=tik.scope_gm)
y_gm = t.Tensor("{dtype}", (1, {oc}, {oh}, {oh}), name="y_gm", scope=tik.scope_gm)
w = t.Const("{dtype}", {wshape}, name="w", init="{key}_w.npy")
k = t.pack_conv(weight=w{more}, depthwise={depthwise}, name="k")
kl = t.Tensor(k.dtype, k.shape, name="kl", scope=tik.scope_lmem, layout="compact")
x = t.Tensor("{dtype}", (1, {ic}, {h}, {h}), name="x", scope=tik.scope_lmem)
y = t.Tensor("{dtype}", (1, {oc}, {oh}, {oh}), name="y", scope=tik.scope_lmem)
t.data_move(x, x_gm)
t.data_move(kl, k)
with t.for_range(0, {repetitions}) as i:
    t.lane_conv2d(y, x, kl, stride={stride}, padding={pad})
t.data_move(y_gm, y)
t.BuildCCE(kernel_name="k", inputs=[x_gm], outputs=[y_gm])
'''
PACKED = ''', bias=t.Const("int32", ({oc},), name="b", init="{key}_b.npy"), requant=t.requant(mul=t.Const("int32", ({oc},), name="m",
    init="{key}_m.npy"), shift=t.Const("int32", ({oc},), name="s", init="{key}_s.npy"), zp=3)'''


class Kernel(Loaded):
    """One case, ready to run."""

    def __init__(self, build, folder, case, repetitions, lib):
        _, soc, dtype, ic, h, oc, k, stride, pad, depthwise = case
        r = np.random.default_rng(7)
        oh = (h + 2 * pad - k) // stride + 1
        self.repetitions, self.lib = repetitions, lib
        self.shape = (ctypes.c_int * 10)(ic, h, h, oc, k, stride, pad, oh, oh, depthwise)
        wshape = (oc, 1 if depthwise else ic, k, k)
        self.float = dtype == 'float32'
        draw = (lambda s: r.standard_normal(s).astype(np.float32)) if self.float else \
            (lambda s: r.integers(-128, 128, s).astype(np.int8))
        self.x, self.w = draw((ic, h, h)), draw(wshape)
        self.bias = r.integers(-1000, 1000, oc).astype(np.int32)
        self.mul = r.integers(1 << 20, 1 << 21, oc).astype(np.int32)
        self.shift = np.full(oc, 31, np.int32)
        self.operations = 2.0 * wshape[1] * oc * oh * oh * k * k * repetitions
        self.out = np.zeros((oc, oh, oh), self.x.dtype)
        key = os.path.join(folder, 'c')
        for name, a in (('w', self.w), ('b', self.bias), ('m', self.mul), ('s', self.shift)):
            np.save(f'{key}_{name}.npy', a)
        fields = {'soc': soc, 'dtype': dtype, 'ic': ic, 'oc': oc, 'h': h, 'oh': oh, 'wshape': wshape, 'key': 'c',
                  'depthwise': depthwise, 'repetitions': repetitions, 'stride': stride, 'pad': pad}
        self.once()
        super().__init__(build, folder, SOURCE.format(more='' if self.float else PACKED.format(**fields), **fields),
                         [self.x], self.out.copy(), quiet=True)

    def once(self):
        p = lambda a: a.ctypes.data_as(ctypes.c_void_p)
        if self.float:
            self.lib.conv_floats(self.shape, p(self.x), p(self.w), p(self.out))
        else:
            self.lib.conv_bytes(self.shape, p(self.x), p(self.w), p(self.bias), p(self.mul), p(self.shift), 3, p(self.out))

    def hand(self):
        for _ in range(self.repetitions):
            self.once()


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    lib = ctypes.CDLL(os.path.join(build, 'bench', 'conv_baseline.so'))
    print('\nconvolutions on lanes, giga-operations per second; above 1 is faster than the one written by hand in C')
    print('%-28s %-8s %-8s %9s %9s %9s %9s %9s' % ('convolution', 'on', 'of', *CONTESTANTS, '/ hand', 'emu / hand'))
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            kernel = Kernel(build, folder, case, repetitions, lib)
            kernel.check()
            seconds = kernel.measure(CONTESTANTS, rounds)
            speed = [kernel.operations / seconds[n] * 1e-9 for n in CONTESTANTS]
            print('%-28s %-8s %-8s %9.1f %9.1f %9.1f %9.2f %9.2f' %
                  (*case[:3], *speed, speed[0] / speed[2], speed[1] / speed[2]))


if __name__ == '__main__':
    main()
