#!/usr/bin/python3
"""The files for editors: Vim and Neovim highlight the samples without an error, Emacs compiles the mode without a warning and highlights with
it, the grammar and the settings of VS Code are what they should be, and jedi, which editors
ask about Python, completes kernels from tik.pyi."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from client import ROOT, TIKC, all_of, run

EDITORS = os.path.join(ROOT, 'editors')
SAMPLES = sorted(glob.glob(ROOT + '/samples/*.tik'))
# what is under the cursor at a word of a sample
GROUPS = {'data_move': 'tikCall', 'scope_gm': 'tikMemory', 'float32': 'tikType', 'for_range': 'tikCall', 'COLS': ''}


def vim_groups(command, folder):
    """The highlight groups of the words in softmax.tik."""
    script = folder + '/try.vim'
    with open(script, 'w', encoding='utf-8') as f:
        f.write('set nomore\n')
        for word in GROUPS:
            f.write(f"call cursor(1, 1)\ncall search('{word}', 'c')\nif getline('.') =~ '^#' | call search('^[^#].*{word}') | call search('{word}', 'c', line('.')) | endif\n"
                    f"call writefile(['{word} ' . synIDattr(synID(line('.'), col('.'), 1), 'name')], '{folder}/out', 'a')\n")
        f.write(f"call writefile([v:errmsg], '{folder}/out', 'a')\nqall!\n")
    done = subprocess.run([*command, '--cmd', 'set runtimepath^=' + EDITORS + '/vim', '--cmd', 'let g:tikc_lsp = []', '--cmd', 'filetype plugin on',
                           '--cmd', 'syntax on', ROOT + '/samples/softmax.tik', '-S', script],
                          env=dict(os.environ, HOME=folder, TERM='dumb'), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    with open(folder + '/out', encoding='utf-8') as f:
        lines = f.read().split('\n')
    assert done.returncode == 0 and lines[len(GROUPS)] == '', (done.stdout, done.stderr, lines)
    return dict(line.split(' ') for line in lines[:len(GROUPS)])


def test_vim():
    for command in (['nvim', '--headless', '--clean'], ['vim', '--clean', '-n', '--not-a-term']):
        with tempfile.TemporaryDirectory() as folder:
            found = vim_groups(command, folder)
            assert {w: g for w, g in found.items() if w != 'COLS'} == {w: g for w, g in GROUPS.items() if w != 'COLS'}, (command, found)
            assert not found['COLS'].startswith('tik'), found


def emacs(folder, *arguments):
    done = subprocess.run(['emacs', '--batch', '-Q', '-L', folder, *arguments], env=dict(os.environ, HOME=folder, TERM='dumb'), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_emacs():
    with tempfile.TemporaryDirectory() as folder:
        for path in glob.glob(EDITORS + '/emacs/*.el'):
            shutil.copy(path, folder)
        files = sorted(glob.glob(folder + '/*.el'))
        out = emacs(folder, '--eval', '(setq byte-compile-error-on-warn t)', '-f', 'batch-byte-compile', *files)
        assert 'Warning' not in out and len(glob.glob(folder + '/*.elc')) == 2, out
        faces = '(progn (require (quote tik-mode)) (find-file %s) (font-lock-ensure) (princ (list major-mode ' % json.dumps(ROOT + '/samples/softmax.tik')
        for word in ('t.data_move', 'tik.scope_gm', 'def'):
            faces += '(progn (goto-char (point-min)) (search-forward "from tbe") (search-forward "%s") (get-text-property (1- (point)) (quote face)))' % word
        assert '(tik-mode font-lock-function-name-face font-lock-constant-face font-lock-keyword-face)' in emacs(folder, '--eval', faces + ')))')


def test_vscode():
    with open(EDITORS + '/vscode/package.json', encoding='utf-8') as f:
        package = json.load(f)
    named = [package['main'], package['contributes']['languages'][0]['configuration'], package['contributes']['grammars'][0]['path']]
    assert all(os.path.exists(os.path.join(EDITORS, 'vscode', p)) for p in named), named
    with open(EDITORS + '/vscode/language-configuration.json', encoding='utf-8') as f:
        rules = json.load(f)
    assert re.search(rules['onEnterRules'][0]['beforeText'], '    with t.for_range(0, n) as i:')
    with open(os.path.join(EDITORS, 'vscode', named[2]), encoding='utf-8') as f:
        grammar = json.load(f)
    assert grammar['scopeName'] == package['contributes']['grammars'][0]['scopeName']
    texts = [open(path, encoding='utf-8').read() for path in SAMPLES]
    used = set()
    for pattern in grammar['patterns']:
        for key in ('match', 'begin', 'end'):
            if key in pattern:
                if any(re.search(pattern[key], text, re.M) for text in texts):
                    used.add(pattern.get('name', 'def'))
        assert set(pattern) <= {'name', 'match', 'begin', 'end', 'patterns', 'captures'}, pattern
    assert used == {p.get('name', 'def') for p in grammar['patterns']} - {'meta.preprocessor.tik'}, used   # no sample has settings
    by_name = {p.get('name'): p['match'] for p in grammar['patterns'] if 'match' in p}
    line = 't.data_move(dst, src[0x10], 0, 1, 8, 0, 0)  # tikc: soc=all'
    assert re.search(by_name['support.function.call.tik'], line).group() == 'data_move' and re.search(by_name['constant.numeric.tik'], line).group() == '0x10'
    assert re.search(by_name['meta.preprocessor.tik'], line).group() == '# tikc: soc=all' and not re.search(by_name['support.function.call.tik'], 't.data_moves(')
    done = subprocess.run(['node', '--check', EDITORS + '/vscode/extension.js'], capture_output=True, text=True) if shutil.which('node') else None
    assert not done or done.returncode == 0, done.stderr


def test_jedi():
    """Names, prototypes and types of Python's own completion."""
    import jedi
    project = jedi.Project(ROOT, added_sys_path=[ROOT + '/runtime/python'])
    text = 'from tbe import tik\n\ntik_instance = tik.Tik()\nx = tik_instance.Tensor("float16", (16,), tik.scope_ubuf, "x")\n'
    def names(line):
        found = jedi.Script(text + line, project=project).complete(5, len(line))
        return {c.name for c in found}
    assert {'data_move', 'vec_add', 'for_range', 'BuildCCE', 'Scalar'} <= names('tik_instance.')
    assert names('tik_instance.vec_ad') == {'vec_add', 'vec_adds'}
    assert {'scope_ubuf', 'scope_gm'} <= names('tik.scope_') and {'shape', 'reshape'} <= names('x.')
    assert {'src0=', 'repeat_times='} <= names('tik_instance.vec_add(')
    line = 'tik_instance.vec_add(128, x, '
    signature = jedi.Script(text + line, project=project).get_signatures(5, len(line))[0]
    assert [p.name for p in signature.params[:4]] == ['mask', 'dst', 'src0', 'src1'] and signature.index == 2, signature


def main():
    return run(all_of(globals()))


if __name__ == '__main__':
    sys.exit(main())
