#!/usr/bin/python3
"""Writes the C table of the modules of stdlib/ (compiler/python/embed.h).
usage: tools/embed.py OUT.c FILE.tik ..."""
import os
import sys


def literal(line):
    """A C string literal of the bytes of a line."""
    out = ''
    for b in line.encode():
        c = chr(b)
        if c in '"\\':
            out += '\\' + c
        elif c == '?' or not 32 <= b < 127:
            out += f'\\{b:03o}'
        else:
            out += c
    return f'    "{out}"'


def main():
    out, *paths = sys.argv[1:]
    lines = ['/* Made by tools/embed.py. */', '#include "python/embed.h"', '',
             'const EmbeddedModule embedded_modules[] = {']
    for path in sorted(paths):
        text = open(path, encoding='utf-8').read()
        name = os.path.basename(path)
        lines.append(f'    {{"{name[:-4]}", "<stdlib>/{name}",')
        lines += [literal(line) for line in text.splitlines(keepends=True)]
        lines.append(f'    , {len(text.encode())}}},')
    lines += ['};', f'const size_t embedded_module_count = {len(paths)};', '']
    tmp = out + '.tmp'
    with open(tmp, 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines))
    os.replace(tmp, out)


if __name__ == '__main__':
    main()
