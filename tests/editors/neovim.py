#!/usr/bin/python3
"""tikc lsp, driven by the client that Neovim has, and the files for Vim that start it: findings, a fix, hover, definition, completion,
prototypes, uses and renaming are what the kernel says."""
import json
import os
import subprocess
import sys
import tempfile

from client import ROOT, TIKC, all_of, run

KERNEL = '''from tbe import tik

t = tik.Tik()
x_gm = t.Tensor("float16", (128,), name="x", scope=tik.scope_gm)
y_gm = t.Tensor("float16", (128,), name="y", scope=tik.scope_gm)
a_ub = t.Tensor("float16", (128,), name="a", scope=tik.scope_ubuf)
t.data_move(a_ub, x_gm, 0, 1, 8, 0, 0)
t.vec_add(128, a_ub, a_ub, a_ub, 1, 8, 8, 8)
t.data_move(y_gm, a_ub, 0, 1, 8, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[x_gm], outputs=[y_gm])
'''
MOVE = 'data_move(dst, src, sid, nburst, burst, src_stride, dst_stride, PadMode=0 or ConvReluMode)'
EXPECTED = {
    'filetype': 'tik', 'syntax': 'tik', 'server': ['tikc', 'utf-16', 'utf-16'],
    'mistake': [[6, 18, 22, 1, 'name-error', "'x_gn' is not defined"]], 'action': "'x_gn' becomes 'x_gm'", 'mended': True,
    'hover': ['```python', 'x_gm: float16 tensor (128,) in GM', '```', '256 bytes, input of the kernel', '',
              'Rules of this line: 12 proved, 0 checked at run time, 0 refuted'],
    'definition': {'start': {'line': 3, 'character': 0}, 'end': {'line': 3, 'character': 4}},
    'completion': ['dst = src0 + src1', 'copies nburst bursts of burst units, tail-to-head gaps between them'],
    'signature': [MOVE, 1], 'references': 3, 'renamed': [True, 3]}


def test_neovim():
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/k.tik', 'w', encoding='utf-8') as f:
            f.write(KERNEL)
        server, name = f'let g:tikc_lsp = {json.dumps([TIKC, "lsp"])}', f'lua folder = {json.dumps(folder)}'
        env = dict(os.environ, XDG_CACHE_HOME=folder, XDG_STATE_HOME=folder, XDG_DATA_HOME=folder, HOME=folder)
        done = subprocess.run(['nvim', '--headless', '--clean', '--cmd', 'set runtimepath^=' + ROOT + '/editors/vim', '--cmd', server, '--cmd', 'filetype plugin on',
                               '--cmd', 'syntax on', folder + '/k.tik', '-c', name, '-c', 'luafile ' + ROOT + '/tests/editors/neovim.lua', '-c', 'cquit'], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    found = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith('['))
    assert done.returncode == 0, done.stdout + done.stderr
    for name, expected in EXPECTED.items():
        value = found.get(name)
        if name == 'hover':
            value = [v for v in value][:len(expected)]
        assert value == expected, (name, value)
    assert set(found) == set(EXPECTED), found


def main():
    return run(all_of(globals()))


if __name__ == '__main__':
    sys.exit(main())
