"""same_blocks.py PAGE PAGE: both pages show the same files, commands and outputs, in the same order. Blocks of commands that no shell runs
(without "$ ") may differ in their comments."""
import re
import sys


def blocks(path):
    with open(path, encoding='utf-8') as f:
        found = re.findall(r'^```\w*\n(.*?)^```$', f.read(), re.S | re.M)
    return [b if b.startswith(('$ ', '# ')) else re.sub(r' *#.*', '', b) for b in found]


def shown(path):
    """The blocks of a page that belong to a translation: not the drawings and the calls of a C compiler."""
    return [b for b in blocks(path) if b.startswith(('$ ', '# ', 'make '))]


one, two = (shown(path) for path in sys.argv[1:])
for a, b in zip(one, two):
    if a != b:
        sys.exit(f'the pages differ:\n{a}\n{b}')
if len(one) != len(two) or not one:
    sys.exit(f'{len(one)} and {len(two)} blocks')
