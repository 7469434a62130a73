#!/usr/bin/python3
"""Writes the C table of the pages of compiler/driver/page (compiler/driver/page.h).
usage: tools/embed_pages.py OUT.c FOLDER

A template NAME.html becomes page_NAME. Styles and scripts that it links to are put into it, and its content security policy
({{policy}}) names their hashes: a page loads nothing, and runs no other script, whatever the data are. {{title}}, {{text}} and {{data}}
are the slots that page.c fills."""
import base64
import hashlib
import os
import re
import sys

from embed import literal

SLOTS = {'title': 'SLOT_TITLE', 'text': 'SLOT_TEXT', 'data': 'SLOT_DATA'}


def hashes(texts):
    return ' '.join("'sha256-%s'" % base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts)


def whole(folder, name):
    """The template with everything in it but the slots."""
    read = lambda n: open(os.path.join(folder, n), encoding='utf-8').read()
    styles, scripts = [], []

    def style(m):
        styles.append('\n' + read(m.group(1)))
        return '<style>' + styles[-1] + '</style>'

    def script(m):
        scripts.append('\n' + read(m.group(1)))
        return '<script>' + scripts[-1] + '</script>'
    text = re.sub(r'<link rel="stylesheet" href="(.*?)">', style, read(name))
    text = re.sub(r'<script src="(.*?)"></script>', script, text)
    assert '</script' not in ''.join(scripts) and '</style' not in ''.join(styles)
    policy = f"default-src 'none'; img-src data:; style-src {hashes(styles)}; script-src {hashes(scripts)}; base-uri 'none'; form-action 'none'"
    return text.replace('{{policy}}', policy)


def table(folder, name):
    pieces = re.split(r'\{\{(\w+)\}\}', whole(folder, name))
    lines = ['', f'const PagePart page_{name[:-5]}[] = {{']
    for i in range(0, len(pieces), 2):
        then = SLOTS[pieces[i + 1]] if i + 1 < len(pieces) else 'SLOT_END'
        lines.append('    {')
        lines += [literal(line) for line in pieces[i].splitlines(keepends=True)] or ['""']
        lines.append(f'    , {len(pieces[i].encode())}, {then}}},')
    return lines + ['};']


def main():
    out, folder = sys.argv[1:]
    lines = ['/* Made by tools/embed_pages.py. */', '#include "driver/page.h"']
    for name in sorted(n for n in os.listdir(folder) if n.endswith('.html')):
        lines += table(folder, name)
    tmp = out + '.tmp'
    with open(tmp, 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')
    os.replace(tmp, out)


main()
