#!/usr/bin/python3
"""The cases of tests/golden/lmem: layouts (l01 to l24), views (v01), programs (p01, p03) and programs that are refused
(negative of the index), on the numpy model, the host back end at two levels and the emulator.

usage: lmem_golden.py [--match TEXT]

The image of a layout is seen by a second tensor in the same bytes of all lanes, once the first one's scope has ended:
before the move it is filled with a pattern, which must stay where the mask of the case is 0. Ends with
'N passed, N failed'.
"""
import argparse
import json
import os
import re
import shutil
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import lmem_model as model  # noqa: E402
from lmem_run import BACKENDS, ROOT, check, run, same_bits  # noqa: E402

GOLDEN = os.path.join(ROOT, 'tests', 'golden', 'lmem')

HEAD = 'from tbe import tik\nt = tik.Tik(tik.Dprofile("%s"))\n'


def load(name):
    return np.load(os.path.join(GOLDEN, name + '.npy'))


def image_program(target, dtype, shape, width, decl, gm, moves):
    """Fills width elements of each lane, runs the moves into x, and shows the lanes."""
    lanes = model.TARGETS[target][0]
    raw = f'(1, {lanes}, 1, {width})'
    return (HEAD % target +
            f'src = t.Tensor({gm}, name="src", scope=tik.scope_gm)\n'
            f'old = t.Tensor("{dtype}", {raw}, name="old", scope=tik.scope_gm)\n'
            f'out = t.Tensor("{dtype}", {raw}, name="out", scope=tik.scope_gm)\n'
            'def lanes():\n'
            f'    return t.Tensor("{dtype}", {raw}, name="raw", scope=tik.scope_lmem, layout="compact", addr=0)\n'
            'with t.new_stmt_scope():\n    t.data_move(lanes(), old)\n'
            f'with t.new_stmt_scope():\n    x = t.Tensor({decl}, name="x", scope=tik.scope_lmem, addr=0)\n'
            f'    {moves}\n'
            'with t.new_stmt_scope():\n    t.data_move(out, lanes())\n'
            't.BuildCCE(kernel_name="k", inputs=[src, old], outputs=[out])\n')


def layout_case(c):
    """Program, inputs, expected image."""
    name = c['id'].lower()
    src, image = load(name + '_src'), load(name + '_image')
    mask = load(name + '_mask') if any(f['file'].endswith('_mask.npy') for f in c['files']) else None
    dtype, target = c['dtype'], c['target']
    moves, lane = 't.data_move(x, src)', c.get('start_lane', 0)
    if 'rows' in c:   # a matrix: whole channels, and the columns of the last one
        per, cols = c['cols_per_channel'], c['cols']
        full = cols // per
        shape = c['tensor_shape']
        moves = f't.data_move(x.view(c=(0, {full})), src[:, 0:{full * per}])'
        if cols % per:
            moves += f'; t.data_move(x.view(c=({full}, {full + 1}), w=(0, {cols % per})), src[:, {full * per}:])'
        decl = f'"{dtype}", {tuple(shape)}, lane={lane}'
        gm = f'"{dtype}", {tuple(src.shape)}'
    else:
        extra = f', stride={tuple(c["strides"])}' if c['layout'] == 'free' else ''
        decl = f'"{dtype}", {tuple(c["shape"])}, layout="{c["layout"]}", lane={lane}{extra}'
        gm = f'"{dtype}", {tuple(c["shape"])}'
    seen = 'uint8' if dtype == 'int4' else dtype
    if dtype == 'int4':
        nibbles = np.append(src.ravel() & 15, np.zeros(src.size % 2, np.uint8))
        src = nibbles[0::2] | nibbles[1::2] << 4
    width = image.shape[1]
    if dtype == 'bfloat16':
        image, width = image.view(np.uint16), width // 2
    if dtype == 'int4':   # bits of a row that follow each other: the last byte of a channel may be half
        mask = np.zeros(image.shape, np.uint8)
        mask[:3, :7], mask[:3, 7] = 1, 2
    elif mask is None:
        mask = image_mask(c)
    old = np.random.default_rng(5).integers(0, 256, image.nbytes, np.uint8).view(image.dtype).reshape(image.shape)
    want = np.where(mask.reshape(image.shape) == 1, image, old)
    want = np.where(mask.reshape(image.shape) == 2, (old & 0xf0) | image, want) if dtype == 'int4' else want
    text = image_program(target, seen, c.get('shape'), width, decl, gm, moves)
    return text, {'src': src, 'old': old.reshape(1, -1, 1, width)}, {'out': want.reshape(1, -1, 1, width)}


def image_mask(c):
    """Which elements a layout has, by the model."""
    t = model.Tensor(c['target'], c['dtype'], c['shape'], c['layout'], c['start_lane'])
    lane, byte = t.places()
    mask = np.zeros((model.TARGETS[c['target']][0], c['per_lane_bytes'] // model.SIZES[c['dtype']]), np.uint8)
    mask[lane, byte // model.SIZES[c['dtype']]] = 1
    return mask


def view_case(c):
    """Every view of v01 is read, and one is written."""
    rows = load('v01_view')
    shape = tuple(c['shape'])
    src = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    text = HEAD % c['target'] + (f'src = t.Tensor("int32", {shape}, name="src", scope=tik.scope_gm)\n'
                                 f'x = t.Tensor("int32", {shape}, name="x", scope=tik.scope_lmem, '
                                 f'lane={c["parent_start_lane"]}, addr={c["parent_offset"]})\nt.data_move(x, src)\n')
    outputs = {}
    whole = model.Tensor(c['target'], 'int32', shape, 'aligned', c['parent_start_lane'], None, c['parent_offset'])
    for i, (n, ch, h, w, lane, base, _) in enumerate(rows):
        v = whole.view([(n, shape[0]), (ch, shape[1]), (h, shape[2]), (w, shape[3])])
        assert (v.lane, v.base) == (lane, base)
        part = src[n:, ch:, h:, w:]
        text += (f'o{i} = t.Tensor("int32", {part.shape}, name="o{i}", scope=tik.scope_gm)\n'
                 f't.data_move(o{i}, x.view(n=({n}, {shape[0]}), c=({ch}, {shape[1]}), h=({h}, {shape[2]}), '
                 f'w=({w}, {shape[3]})))\n')
        outputs[f'o{i}'] = part
    text += f't.BuildCCE(kernel_name="k", inputs=[src], outputs=[{", ".join(outputs)}])\n'
    return text, {'src': src}, outputs


def program_case(name, inputs, outputs):
    with open(os.path.join(GOLDEN, name + '.tik')) as f:
        text = f.read()
    return text, {n: load(f) for n, f in inputs.items()}, {n: load(f) for n, f in outputs.items()}


PROGRAMS = {
    'P01': ('p01', {'src': 'p01_src'}, {'dst': 'p01_dst'}),
    'P03': ('p03', {'x_gm': 'p03_x', 'b_gm': 'p03_bias'}, {'y_gm': 'p03_y'}),
    'P04': ('p04', {'a_gm': 'p04_a', 'b_gm': 'p04_b'}, {f'{op}_gm': f'p04_{op}' for op in ('sub', 'mul', 'max', 'min')}),
}
PROGRAMS['P05'] = ('p05', {'x_gm': 'p05_x'}, {'out': 'm02_merged', 'y_gm': 'p05_y'})
ON_UNITS = ('L24', 'V02', 'V03')   # tests/unit/test_lmem.c: cells of batch items, addresses


def cases(index):
    for c in index['cases']:
        if c['group'] == 'layout' and c['id'] not in ON_UNITS:
            yield c['id'], *layout_case(c)
        elif c['group'] == 'view':
            yield c['id'], *view_case(c)
    for name, args in PROGRAMS.items():
        yield name, *program_case(*args)


def dump_case(folder, name):
    """What the emulator's dump of the lanes shows, against the image of the program; null: nothing is wrong."""
    text, inputs, outputs = program_case(*PROGRAMS[name])
    path = os.path.join(folder, 'lanes.npy')
    _, said = run(folder, text, inputs, list(outputs), BACKENDS[-1], ['--lmem-dump', path])
    image = load(name.lower() + '_lmem')
    if not os.path.exists(path):
        return said
    return None if same_bits(np.load(path).view(image.dtype), image) else 'the dump of the lanes has other bits'


# ---- programs that are refused ------------------------------------------------------------------------------------

def refused(n):
    """The program of a case of the index; None: it is another script's (constants)."""
    target = n.get('target')
    if n['what'] == 'tensor':
        stride = f', stride={tuple(n["strides"])}' if 'strides' in n else ''
        text = (f'x = t.Tensor("{n["dtype"]}", {tuple(n["shape"])}, name="x", scope=tik.scope_lmem, '
                f'layout="{n["layout"]}", lane={n["start_lane"]}, addr={n["offset"]}{stride})\n')
        if n['expect'] == 'stride-overlap':   # of a tensor that is written
            text += f'g = t.Tensor("int32", {tuple(n["shape"])}, name="g", scope=tik.scope_gm)\nt.data_move(x, g)\n'
    elif n['what'] == 'lane_add':
        lanes = n['start_lanes']
        text = ''.join(f'{k} = t.Tensor("{n["dtype"]}", {tuple(n["shape"])}, name="{k}", scope=tik.scope_lmem, '
                       f'lane={lanes[k]})\n' for k in lanes) + 't.lane_add(dst, a, b)\n'
    elif n['what'] == 'data_move' and 'gm_strides' in n:
        step = n['gm_strides'][3]
        full = n['shape'][:3] + [n['shape'][3] * step]
        text = (f'g = t.Tensor("{n["dtype"]}", {tuple(full)}, name="g", scope=tik.scope_gm)\n'
                f'x = t.Tensor("{n["dtype"]}", {tuple(n["shape"])}, name="x", scope=tik.scope_lmem)\n'
                f't.data_move(x, g[:, :, :, ::{step}])\n')
    elif n['what'] == 'data_move':
        src, dst = n.get('src_shape', n.get('shape')), n.get('dst_shape', n.get('shape'))
        text = (f'g = t.Tensor("{n["dtype"]}", {tuple(src)}, name="g", scope=tik.scope_gm)\n'
                f'x = t.Tensor("{n["dtype"]}", {tuple(dst)}, name="x", scope=tik.scope_lmem)\nt.data_move(x, g)\n')
    elif n['what'] == 'data_move_bcast':
        one = [n['shape'][0], 1] + n['shape'][2:]
        text = (f'g = t.Tensor("{n["dtype"]}", {tuple(one)}, name="g", scope=tik.scope_gm)\n'
                f'x = t.Tensor("{n["dtype"]}", {tuple(n["shape"])}, name="x", scope=tik.scope_lmem, '
                f'lane={n["start_lane"]})\nt.data_move(x, g, bcast=True)\n')
    else:
        return None
    given = 'g' if '\ng = ' in '\n' + text else ''
    return HEAD % target + text + f't.BuildCCE(kernel_name="k", inputs=[{given}], outputs=[])\n'


def verdict(n, said):
    """What is wrong with the tool's answer; None: nothing."""
    want, level = n['expect'], n.get('severity', 'error')
    found = re.findall(r': (error|warning): .*\[([\w-]+)\]$', said, re.M)
    errors = [name for kind, name in found if kind == 'error']
    if level == 'error':
        return None if errors[:1] == ([want] if want else []) else f'errors {errors}, expected {want}'
    return None if ('warning', want) in found and not errors else f'found {found}, expected the warning {want}'


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--match', default='')
    a = ap.parse_args()
    with open(os.path.join(GOLDEN, 'index.json')) as f:
        index = json.load(f)
    bad, done = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, inputs, outputs in cases(index):
            for constant in re.findall(r'init="([\w.]+)"', text):
                shutil.copy(os.path.join(GOLDEN, constant), folder)
            for backend in BACKENDS if a.match in name else ():
                done += 1
                got, said = run(folder, text, inputs, list(outputs), backend)
                if got is None:
                    bad.append(f'{name} {backend}: {said}')
                elif not all(same_bits(got[k], np.asarray(v)) for k, v in outputs.items()):
                    bad.append(f'{name} {backend}: other bits')
        for name in ('P01', 'P03') if not a.match or a.match.startswith('P') else ():
            done += 1
            wrong = dump_case(folder, name)
            bad += [f'{name}: {wrong}'] if wrong else []
        for n in index['negative']:
            text = refused(n)
            if text is not None and a.match in n['id']:
                done += 1
                wrong = verdict(n, check(folder, text))
                bad += [f'{n["id"]}: {wrong}'] if wrong else []
    print('\n'.join(bad))
    print(f'{done - len(bad)} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
