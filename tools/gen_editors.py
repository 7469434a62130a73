"""Makes what editors know of the words of the language, of the scanner and the tables: editors/vim/syntax/tik.vim,
editors/vscode/syntaxes/tik.tmLanguage.json, and the lists of editors/emacs/tik-words.el."""
import json
import os
import re

import call_table
from isa_tables import rows

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MADE = 'Made by make docs of grammar/tik.l, compiler/tik/call.def and runtime/isa.'


def keywords():
    """Words of the scanner: those that are values, and the others."""
    with open(os.path.join(ROOT, 'grammar/tik.l'), encoding='utf-8') as f:
        words = re.findall(r'^([A-Za-z]+) +return [A-Z_]+;$', f.read(), re.M)
    values = [w for w in words if w[0].isupper()]
    return values, [w for w in words if w not in values]


def calls():
    """Methods of the container, of tensors and Scalars, and functions of the module tik."""
    names = {c.name for c in call_table.table() if not c.name.startswith('__')}
    recorded = [r[0] for r in rows(call_table.TABLE, 'RECORDED')]
    return sorted(names | {name for op, name, *_ in rows('runtime/isa/op.def', 'OP') if '.' not in name and op not in recorded})


def memories():
    return [name for name, _ in rows('compiler/tik/memory.def', 'MEMORY')]


def types():
    return [r[1] for r in rows('runtime/isa/dtype.def', 'DTYPE') if r[1] != 'bool']


def builtins():
    with open(os.path.join(ROOT, 'compiler/python/builtin.c'), encoding='utf-8') as f:
        table = re.search(r'functions\[\] = \{(.*?)\n\};', f.read(), re.S).group(1)
    return sorted(re.findall(r'\{"([a-z_]+)",', table))


def wrapped(words, head, more, width=140):
    """Lines that begin with head, then with more."""
    lines, line = [], head
    for w in words:
        if len(line) + len(w) + 1 > width:
            lines.append(line)
            line = more
        line += ' ' + w
    return lines + [line]


def vim():
    out = [f'" {MADE}', '" Vim syntax of TIK kernels: Python, with the calls, memories and types of the module tik.',
           'if exists("b:current_syntax")', '  finish', 'endif', 'runtime! syntax/python.vim', 'unlet! b:current_syntax']
    for name in calls():
        out.append(f'syntax match tikCall /\\.\\@1<={name}\\ze\\s*(/ containedin=pythonAttribute')
    out += wrapped(memories(), 'syntax keyword tikMemory', 'syntax keyword tikMemory')
    for name in types():
        out.append(f'syntax match tikType /[\'"]\\@1<={name}\\ze[\'"]/ containedin=pythonString')
    out += ['syntax match tikSetting /# tikc: .*$/ containedin=pythonComment',
            'highlight default link tikCall Function',
            'highlight default link tikMemory Constant', 'highlight default link tikType Type', 'highlight default link tikSetting PreProc',
            'let b:current_syntax = "tik"']
    return '\n'.join(out) + '\n'


def alternatives(words):
    return '(?:' + '|'.join(words) + ')'


def textmate():
    values, words = keywords()
    string = {'name': 'string.quoted.tik', 'patterns': [{'name': 'constant.character.escape.tik', 'match': r'\\.'},
                                                         {'name': 'support.type.tik', 'match': r"(?<=['\"])" + alternatives(types()) + r"(?=['\"])"}]}
    strings = [dict(string, begin=q, end=q) for q in ('"""', "'''")] + [dict(string, begin=q, end=q + r'|$') for q in ('"', "'")]
    patterns = [
        {'name': 'meta.preprocessor.tik', 'match': r'# tikc: .*$'}, {'name': 'comment.line.number-sign.tik', 'match': r'#.*$'}, *strings,
        {'match': r'\b(def|class)\s+([A-Za-z_]\w*)', 'captures': {'1': {'name': 'storage.type.tik'}, '2': {'name': 'entity.name.function.tik'}}},
        {'name': 'keyword.control.tik', 'match': r'\b' + alternatives(words) + r'\b'},
        {'name': 'constant.language.tik', 'match': r'\b' + alternatives(values) + r'\b'},
        {'name': 'constant.other.memory.tik', 'match': r'\b' + alternatives(memories()) + r'\b'},
        {'name': 'support.function.call.tik', 'match': r'(?<=\.)' + alternatives(calls()) + r'(?=\s*\()'},
        {'name': 'support.function.builtin.tik', 'match': r'(?<![.\w])' + alternatives(builtins()) + r'(?=\s*\()'},
        {'name': 'constant.numeric.tik', 'match': r'\b(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?)\b'}]
    return json.dumps({'comment': MADE, 'name': 'TIK', 'scopeName': 'source.tik', 'fileTypes': ['tik'], 'patterns': patterns}, indent=1) + '\n'


def emacs():
    def constant(name, what, words):
        return wrapped([f'"{w}"' for w in words], f"(defconst {name}\n  '(", '   ', 100) + [f'    )\n  "{what}")', '']
    out = [f';;; tik-words.el --- Words of TIK kernels  -*- lexical-binding: t -*-', '', ';;; Commentary:', f';; {MADE}', '', ';;; Code:', '']
    out += constant('tik-words-calls', 'Methods and functions of the module tik.', calls())
    out += constant('tik-words-memories', 'Constants that name memories.', memories())
    return '\n'.join(out) + "(provide 'tik-words)\n;;; tik-words.el ends here\n"


def pages():
    return {'editors/vim/syntax/tik.vim': vim(), 'editors/vscode/syntaxes/tik.tmLanguage.json': textmate(), 'editors/emacs/tik-words.el': emacs()}
