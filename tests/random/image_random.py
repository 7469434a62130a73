#!/usr/bin/python3
"""Random calls of load_image on native code at two optimisation levels, on the emulator and on the numpy model
(image_model): every byte of what they load, and of what lies after it. Numbers are constants or Scalars that the
kernel loads. Then the cases of tests/golden/image, which were computed by hand.

TIKC_IMAGES sets the number of calls (200), TIKC_SEED the first seed (1). A failure prints a command that runs its
call alone. Ends with 'N passed, N failed'.
usage: image_random.py [SEED]    with a seed: prints that program and what differs"""
import os
import random
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
from image_model import AREA, CHANNELS, CROP, CSC, DTC, RGB, SIZES, SWAP, XRGB, YUV400, YUV420, load_image  # noqa: E402
from operand import Operands  # noqa: E402
from reg_random import execute, expand  # noqa: E402

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../golden/image/cases.tsv')
SOCS = ('Ascend310', 'Ascend910A', 'Ascend310P3', 'Ascend610', 'BS9SX1AA')
PACKING = ('Ascend310P3', 'Ascend610', 'BS9SX1AA')
BYTES = {YUV420: 1.5, XRGB: 4, RGB: 3, YUV400: 1}
AFTER = 64      # bytes after the result, which stay
TOGETHER = 50
HALVES = (0.0, 1.0, -2.5, 0.5, 0.00390625, 0.017120361328125, 300.0, 65504.0, -0.0)


class Call:
    def __init__(self, seed):
        r = self.rnd = random.Random(seed)
        self.seed, self.soc = seed, r.choice(SOCS)
        self.dtype = r.choice(('uint8', 'int8', 'float16', 'float16'))
        fmt = r.choice(tuple(BYTES))
        on = sum(bit for bit in (CROP, SWAP, CSC, DTC, AREA, CHANNELS) if r.random() < 0.6)
        on &= ~(SWAP | CSC) if fmt == YUV400 else -1
        on &= ~DTC if self.dtype == 'uint8' else -1
        w, h = 2 * r.randint(4, 24), r.randint(1, 30)
        if on & CROP and h < 8:
            h += 8
        self.numbers = []
        self.o = {'input_format': fmt, 'function_switch': on,
                  'src_info': {'src_horizontal_size': w, 'src_vertical_size': h}, 'crop_info': self.crop(w, h),
                  'swap_list': [r.randrange(2) * (fmt in (XRGB, RGB)), r.randrange(2) * (fmt == YUV420),
                                r.randrange(2) * (fmt == XRGB)],
                  'csc_info': self.csc(fmt), 'dtc_info': self.dtc()}
        c = self.o['crop_info']
        high = (1 if c['single_line_enable'] else c['dst_vertical_size']) if on & CROP else h
        wide = c['dst_horizontal_size'] if on & CROP else w
        packed = on & CHANNELS and self.soc in PACKING and r.random() < 0.4
        self.o['area_pad_info'] = self.area(wide, high)
        if packed:      # whole blocks of 32 bytes
            unit = 8 // SIZES[self.dtype]
            a = self.o['area_pad_info']
            packed = ((wide + (a['left_pad_cols'] + a['right_pad_cols']) * (on & AREA > 0)) * (
                high + (a['top_pad_rows'] + a['botton_pad_rows']) * (on & AREA > 0))) % unit == 0
        self.o['channel_pad_info'] = {'channel_pad_mode': 2 if packed else 0, 'channel_pad_value': self.value()}
        size = int(w * h * BYTES[fmt]) if fmt != YUV420 else w * h + w * ((h + 1) // 2)
        self.two = fmt == YUV420 and r.random() < 0.4
        self.raw = np.frombuffer(r.randbytes(size), np.uint8)
        self.at = r.randrange(3) * {YUV420: 2, XRGB: 4}.get(fmt, 1)   # addresses have the multiples of the format
        second = self.raw[w * h:] if self.two else None
        self.want = load_image(self.raw, second, self.dtype, self.o)
        self.split = w * h

    def value(self):
        r = self.rnd
        return r.choice(HALVES) if self.dtype == 'float16' else r.randrange(256) - 128 * (self.dtype == 'int8')

    def crop(self, w, h):
        r = self.rnd
        single = r.random() < 0.2 and self.soc != 'Ascend910A'
        wide = r.randint(8, w)
        high = 1 if single else r.randint(min(8, h), h)
        return {'dst_horizontal_size': wide, 'dst_vertical_size': high, 'single_line_enable': int(single),
                'crop_horizontal_start': 2 * r.randint(0, (w - wide) // 2),
                'crop_vertical_start': 2 * r.randint(0, (h - high) // 2)}

    def csc(self, fmt):
        r = self.rnd
        first = {YUV420: 1, XRGB: 4, RGB: 7, YUV400: 1}[fmt]
        most = r.choice((100, 300, 1000, 32767))
        return {'format_convert': r.choice((0, 0, first, first + 1, first + 2)),
                'csc_matrix': [[r.randint(-most - 1, most) for _ in range(3)] for _ in range(3)],
                'csc_out_bias': [r.randrange(256) for _ in range(3)], 'csc_in_bias': [r.randrange(256) for _ in range(3)]}

    def dtc(self):
        r = self.rnd
        half = r.randrange(2)
        means = HALVES if half else (0, 104, 117, 123, 128, 255, -300, 32767, -32768)
        return {'dtc_mean_type': half, 'raw_to_f16_n': 0, 'dtc_mean': [r.choice(means) for _ in range(4)],
                'dtc_min': [r.choice(HALVES) for _ in range(4)], 'dtc_var': [r.choice(HALVES) for _ in range(4)]}

    def area(self, wide, high):
        r = self.rnd
        mode = r.randrange(4)
        most = (min(32, wide), min(32, high)) if mode > 1 else (32, 32)
        a = {'area_pad_mode': mode, 'top_pad_rows': r.randint(0, most[1]) * (mode > 0),
             'botton_pad_rows': r.randint(0, min(5, most[1])) * (mode > 0), 'left_pad_cols': r.randint(0, most[0]),
             'right_pad_cols': r.randint(0, most[0])}
        a.update({f'channel{c}_pad_value': self.value() for c in range(4)})
        return a

    # ---- as a program

    def text_of(self, key, v):
        """Python text; half of the numbers that are no elements may be Scalars."""
        if isinstance(v, dict):
            return '{' + ', '.join(f'{k!r}: {self.text_of(k, x)}' for k, x in v.items()) + '}'
        if isinstance(v, list):
            return '[' + ', '.join(self.text_of(key, x) for x in v) + ']'
        fixed = key in ('dtc_mean_type', 'csc_out_bias', 'csc_in_bias', 'csc_matrix', 'dtc_mean') or 'value' in key
        if isinstance(v, float) or fixed or self.rnd.random() >= 0.5:
            return repr(v)
        return self.ops.number(v)

    def program(self):
        self.numbers = []

        def late(v):
            self.numbers.append(v)
            return f'n[{len(self.numbers) - 1}]'
        self.ops = Operands(self.rnd, late)
        texts = {k: self.text_of(k, v) for k, v in self.o.items()}
        total = len(self.want) + AFTER
        count = total // SIZES[self.dtype]
        first = len(self.raw) if not self.two else self.split
        src1 = f'g[{self.at + self.split + 2}:]' if self.two else 'None'
        data = bytes(self.at) + self.raw[:first].tobytes()
        data += (b'zz' + self.raw[first:].tobytes()) if self.two else b''
        kinds = f'"{self.dtype}", ({count},), tik'
        lines = ['from tbe import tik', 't = tik.Tik()', f'g = t.Tensor("uint8", ({len(data)},), tik.scope_gm, "g")',
                 f'b = t.Tensor({kinds}.scope_gm, "b")', f'r = t.Tensor({kinds}.scope_gm, "r")',
                 f'd = t.Tensor({kinds}.scope_cbuf, "d")', f'u = t.Tensor({kinds}.scope_ubuf, "u")']
        if self.numbers:
            k = -(-len(self.numbers) // 8) * 8
            lines += [f'm = t.Tensor("int32", ({k},), tik.scope_gm, "m")',
                      f'mu = t.Tensor("int32", ({k},), tik.scope_ubuf, "mu")', f't.data_move(mu, m, 0, 1, {k // 8}, 0, 0)',
                      f'n = [t.Scalar("int32", init_value=mu[i]) for i in range({len(self.numbers)})]']
        blocks = total // 32
        lines += [f't.data_move(d, b, 0, 1, {blocks}, 0, 0)']
        lines += self.ops.around(
                  f't.load_image(d, g[{self.at}:], {src1}, {texts["input_format"]}, {texts["function_switch"]}, '
                  f'{texts["src_info"]}, {texts["crop_info"]}, None, {texts["swap_list"]}, {texts["csc_info"]}, None, None, '
                  f'{texts["dtc_info"]}, 0, {texts["channel_pad_info"]}, {texts["area_pad_info"]}, None, None, 0)')
        lines += [f't.data_move(u, d, 0, 1, {blocks}, 0, 0)', f't.data_move(r, u, 0, 1, {blocks}, 0, 0)']
        inputs = {'g': data, 'b': b'\xee' * total}
        if self.numbers:
            inputs['m'] = np.array(self.numbers + [0] * (k - len(self.numbers)), '<i4').tobytes()
        lines.append(f't.BuildCCE(kernel_name="k", inputs=[{", ".join(inputs)}], outputs=[r])')
        return '\n'.join(lines) + '\n', inputs

    def wrong(self, result):
        status, detail, outs = result
        if status != 'ok':
            return f'{status} {detail}'
        return difference(outs['r'], self.want + b'\xee' * AFTER)


def difference(got, want):
    at = [i for i, (a, b) in enumerate(zip(got, want)) if a != b]
    return f'byte {at[0]} is {got[at[0]]:02x}, expected {want[at[0]]:02x}' if at else None


def golden():
    """(name, what is wrong): name, processor, dtype, source, the call after src0, bytes of the result."""
    cases = [line.rstrip('\n').split('\t') for line in open(GOLDEN) if line[0] not in '#\n']
    programs = []
    for _, soc, dtype, src, call, want in cases:
        data, n = bytes.fromhex(src), len(bytes.fromhex(expand(want))) // SIZES[dtype]
        kinds = f'"{dtype}", ({n},), tik'
        text = (f'from tbe import tik\nt = tik.Tik()\ng = t.Tensor("uint8", ({len(data)},), tik.scope_gm, "g")\n'
                f'r = t.Tensor({kinds}.scope_gm, "r")\nd = t.Tensor({kinds}.scope_cbuf, "d")\n'
                f'u = t.Tensor({kinds}.scope_ubuf, "u")\nt.load_image(d, g, {call})\n'
                f't.data_move(u, d, 0, 1, {n * SIZES[dtype] // 32}, 0, 0)\n'
                f't.data_move(r, u, 0, 1, {n * SIZES[dtype] // 32}, 0, 0)\n'
                't.BuildCCE(kernel_name="k", inputs=[g], outputs=[r])\n')
        programs.append((text, {'g': data}, soc))
    for case, (status, detail, outs) in zip(cases, execute(programs)):
        yield case[0], f'{status} {detail}' if status != 'ok' else difference(outs['r'], bytes.fromhex(expand(case[5])))


def show_one(seed):
    c = Call(seed)
    text, data = c.program()
    print(f'# --soc {c.soc}\n' + text)
    wrong = c.wrong(execute([(text, data, c.soc)])[0])
    print(wrong or 'equal')
    return 1 if wrong else 0


def main():
    if len(sys.argv) == 2:
        return show_one(int(sys.argv[1]))
    total, first = int(os.environ.get('TIKC_IMAGES', '200')), int(os.environ.get('TIKC_SEED', '1'))
    passed, bad = 0, []
    for start in range(first, first + total, TOGETHER):
        calls = [Call(s) for s in range(start, min(start + TOGETHER, first + total))]
        for c, result in zip(calls, execute([(*c.program(), c.soc) for c in calls])):
            wrong = c.wrong(result)
            passed += wrong is None
            bad += [f'image_random.py {c.seed}\n    {wrong}'] if wrong else []
    for name, wrong in golden():
        passed += not wrong
        bad += [f'{name}: {wrong}'] if wrong else []
    print('\n'.join(bad[:20]))
    print(f'{passed} passed, {len(bad)} failed')
    return 1 if bad or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
