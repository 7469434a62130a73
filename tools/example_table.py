"""Reads docs/examples: kernels that show one call each, for gen-docs.py and the tests.

    command(example)    the line that runs it
    examples()          {name: Example} of every call and instruction that has one
    Example             stem of its file; names of the calls that it shows, as CALL rows and instructions have them; what it shows, in a
                        sentence; settings {key: [value]} of its lines "# tikc: KEY=VALUE"; the program; checks, as Python's doctest has them

A file begins with a comment "# NAME, NAME: sentence", then has settings, the program, and at the end what holds for its arrays after
a run, as "# >>> EXPRESSION" and the line that Python prints.
"""
import collections
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = 'docs/examples'
Example = collections.namedtuple('Example', 'stem names what settings program checks')


def read(stem):
    with open(os.path.join(ROOT, FOLDER, stem + '.tik'), encoding='utf-8') as f:
        text = f.read()
    head = re.match(r'((?:#(?! tikc:).*\n)+)', text).group(1)
    rest = text[len(head):]
    names, what = re.sub(r'\n?# ', ' ', head).strip().split(': ', 1)
    settings = {}
    for key, value in re.findall(r'^# tikc: ([\w.]+)=(.*)$', rest, re.M):
        settings.setdefault(key, []).append(value)
    at = rest.find('\n# >>> ') + 1 or len(rest)
    program = re.sub(r'^# tikc: .*\n', '', rest[:at], flags=re.M)
    return Example(stem, names.split(', '), what, settings, program, re.sub(r'^# ?', '', rest[at:], flags=re.M))


def stems():
    return sorted(n[:-4] for n in os.listdir(os.path.join(ROOT, FOLDER)) if n.endswith('.tik'))


def examples():
    return {name: e for e in map(read, stems()) for name in e.names}


def command(example):
    """The line that runs an example, without the files of its outputs."""
    words = ['tikc run', example.stem + '.tik']
    for key, values in example.settings.items():
        words += [f'--in {key[3:]}={v}' if key.startswith('in.') else f'--{key} {v}' for v in values]
    return ' '.join(words)
