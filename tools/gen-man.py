#!/usr/bin/python3
"""Writes the manual pages from the tables that --help is made from (driver_tables.py, exit.def): tikc.1 with all commands and
options, and tikc-COMMAND.1 with those of one.
usage: tools/gen-man.py VERSION FOLDER"""
import os
import re
import sys

import driver_tables
from driver_tables import DRIVER
from isa_tables import rows


def roff(text):
    text = text.replace('\\', '\\e').replace('-', '\\-').replace("'", '\\(aq')
    return '\\&' + text if text[:1] in ('.', "'") else text


def entry(head, *lines):
    return ['.TP', head, *lines]


def placeholders(text):
    """Words in capitals are what the user puts in."""
    return re.sub(r'\b([A-Z][A-Z]+)\b', r'\\fI\1\\fR', roff(text))


def option_head(option):
    spellings = option.spellings
    value = '' if option.value is None else placeholders(option.arg)
    space = ' ' if value and (spellings[0].startswith('--') or len(spellings) > 1) else ''
    return ', '.join(f'\\fB{roff(s)}\\fR' for s in spellings) + space + value


def title(name, version, what):
    return [f'.TH {name.upper()} 1 "" "tikc {version}" "User Commands"', '.SH NAME', f'{roff(name)} \\- {roff(what)}', '.SH SYNOPSIS']


HELP = entry('\\fB\\-h\\fR, \\fB\\-\\-help\\fR', roff("list a command's options."))


def passes():
    out = ['.SH PASSES', 'In the order in which all of them run:']
    for name, what, (needs, gives) in driver_tables.passes():
        told = ''.join(f'; {word} {", ".join(names)}' for word, names in (('needs', needs), ('gives', gives)) if names)
        out += entry(f'\\fB{roff(name)}\\fR', roff(what + told))
    return out


def exit_status():
    out = ['.SH EXIT STATUS']
    for _, number, text in rows(DRIVER + 'exit.def', 'EXIT_CODE'):
        out += entry(f'\\fB{number}\\fR', roff(text))
    return out


def see_also(pages):
    return ['.SH SEE ALSO', ', '.join(f'\\fB{roff(p)}\\fR(1)' for p in pages)]


def main_page(version):
    commands = driver_tables.commands()
    out = title('tikc', version, 'compile TIK kernels and run them')
    for c in commands:
        out += [f'\\fBtikc\\fR {placeholders(c.synopsis)}', '.br']
    out += ['\\fBtikc \\-\\-version\\fR', '.SH DESCRIPTION',
            roff('tikc compiles TIK kernels on any Linux machine: to native code, and to descriptor blobs that are proved to '
                 'stay in bounds. Both give the same bits.'),
            placeholders('FILE is a .tik, .py or .ir file; - as FILE, BLOB or TEXT reads standard input, - as OUT is standard '
                         'output. @FILE is the words of a file. Long options take their value as the next word or after =. -- ends the options.'),
            '.SH COMMANDS']
    for c in commands:
        out += entry(f'\\fB{roff(c.word)}\\fR', roff(c.what))
    out.append('.SH OPTIONS')
    words = {c.id: c.word for c in commands} | {'IN_FILE': 'or a setting of a file'}
    for o in driver_tables.options():
        out += entry(option_head(o), roff(o.help + '.'), roff('(' + ', '.join(words[c] for c in o.commands) + ')'))
    out += HELP + passes() + exit_status()
    out += ['.SH EXAMPLES', '.nf',
            *[roff(l) for l in ('tikc check double.tik', 'tikc run double.tik --in src_gm=x.npy --out dst_gm=y.npy',
                                'tikc build double.tik -o double.tkb', 'tikc explain range-nburst')], '.fi']
    return out + see_also(f'tikc-{c.word}' for c in commands)


def command_page(version, c):
    out = title('tikc-' + c.word, version, c.what.split(';')[0]) + [f'\\fBtikc\\fR {placeholders(c.synopsis)}', '.SH DESCRIPTION', roff(c.what + '.'), '.SH OPTIONS']
    options = driver_tables.of_command(c)
    for o in options:
        out += entry(option_head(o), roff(o.help + '.'))
    out += HELP
    if any(o.arg in ('PASS', 'LIST') for o in options):
        out += passes()
    return out + exit_status() + see_also(['tikc'])


def main():
    version, folder = sys.argv[1:]
    pages = {'tikc': main_page(version)} | {'tikc-' + c.word: command_page(version, c) for c in driver_tables.commands()}
    for name, lines in pages.items():
        with open(os.path.join(folder, name + '.1'), 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
