#!/usr/bin/python3
"""What the helps of diagnostics propose exists: each option is one of the tool's, each name with an underscore is one that
`tikc explain` or docs/language.md knows. Ends with 'N passed, N failed'."""
import os
import re
import subprocess
import sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa

STRING = r'"((?:[^"\\]|\\.)*)"'


def helps():
    """(diagnostic, its help) of both tables."""
    for path, row in (('compiler/base/diag.def', 'DIAG'), ('runtime/isa/rule.def', 'RULE')):
        text = open(os.path.join(ROOT, path), encoding='utf-8').read()
        for name, aliases, rule, text in re.findall(
                r'^%s\(\w+, %s, \w+, %s,\s*%s,\s*%s\)' % (row, STRING, STRING, STRING, STRING), text, re.M):
            yield name, text


def options():
    text = open(os.path.join(ROOT, 'compiler/driver/option.def'), encoding='utf-8').read()
    return set(re.findall(r'^OPTION\("([\w-]+)"', text, re.M))


def explained(name):
    return subprocess.run([TIKC, 'explain', name], capture_output=True).returncode == 0


def known(name, language):
    """Also what only the page of the language names, and two parameters by what they share (left_top_w, left_top_h)."""
    return explained(name) or name in language or (explained(name + '_w') and explained(name + '_h'))


def main():
    have, passed, bad = options(), 0, []
    rows = list(helps())
    page = open(os.path.join(ROOT, 'docs/language.md'), encoding='utf-8').read()
    language = set(re.findall(r'\w+', page))
    for diagnostic, text in rows:
        names = [w for w in re.findall(r'(?<![\w.-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+', text)]
        wrong = ['--' + o for o in re.findall(r'--([a-z][a-z-]+)', text) if o not in have]
        wrong += [n for n in names if not known(n, language)]
        bad += ['%s: the help names %s, which does not exist: %s' % (diagnostic, w, text) for w in wrong]
        passed += not wrong
    if len(rows) < 300 or '--no-such-option'[2:] in have or known('no_such_name', language):
        bad.append('the tables were not read')
    print('\n'.join(bad))
    print('%d passed, %d failed' % (passed, len(bad)))
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
