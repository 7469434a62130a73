#!/usr/bin/python3
"""Writes the C table of the examples of calls (compiler/driver/example.h).
usage: tools/embed_examples.py OUT.c"""
import os
import sys

import call_table
import example_table
from embed import literal


def text_of(example):
    """What 'tikc explain' prints of an example."""
    return (f'{example.what}\n\n{example.program.strip()}\n\nAfter {example_table.command(example)}:\n\n'
            f'{example.checks.strip()}\n')


def main():
    out, = sys.argv[1:]
    methods = {c.id: c.name for c in call_table.table()}
    lines = ['/* Made by tools/embed_examples.py. */', '#include "driver/example.h"', '']
    table = []
    for example in map(example_table.read, example_table.stems()):
        lines += [f'static const char of_{example.stem}[] ='] + [literal(line) for line in text_of(example).splitlines(keepends=True)] + ['    ;', '']
        for method in dict.fromkeys(methods.get(name, name) for name in example.names):
            table.append((method != example.stem, method, example.stem))
    lines.append('const CallExample call_examples[] = {')
    lines += [f'    {{"{method}", "{example_table.FOLDER}/{stem}.tik", of_{stem}}},' for _, method, stem in sorted(table)]
    lines += ['    {0},', '};', '']
    tmp = out + '.tmp'
    with open(tmp, 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines))
    os.replace(tmp, out)


main()
