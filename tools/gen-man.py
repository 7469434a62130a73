#!/usr/bin/python3
"""Writes the manual page and the completion of bash from the tables that --help is made from: command.def, option.def,
exit.def of the driver and pass.def, with names of processors, choices, calls, instructions and diagnostics from their tables.
usage: tools/gen-man.py VERSION OUT.1 OUT.bash"""
import re
import sys

import call_table
from isa_tables import rows

DRIVER = 'compiler/driver/'


def commands():
    """[(id, word, synopsis, what)]"""
    return [(r[0], r[1], r[5], r[6]) for r in rows(DRIVER + 'command.def', 'COMMAND')]


def options():
    """[(spellings, kind, commands as ids, argument, help)]; a spelling of a letter alone takes its value after it."""
    sets = dict(rows(DRIVER + 'command_set.def', 'COMMAND_SET'))
    found = []
    for name, letter, kind, _, mask, arg, help_ in rows(DRIVER + 'option.def', 'OPTION'):
        letter = letter.strip("'") if letter != '0' else ''
        spellings = (['-' + letter] if letter else []) + (['--' + name] if name else [])
        mask = re.sub(r'CMD_(\w+)', lambda m: sets.get(m.group(1), m.group(0)), mask)
        found.append((spellings, kind, re.findall(r'CMD_(\w+)', mask), arg, help_))
    return found


def passes():
    """[(name, what, with the facts that it needs and gives)]"""
    table = 'compiler/passes/pass.def'
    facts = [r[:2] for r in rows(table, 'FACT')]

    def told(word, mask):
        names = [name for id_, name in facts if 'FACT_' + id_ in mask.replace('|', ' ').split()]
        return f'; {word} {", ".join(names)}' if names else ''
    return [(name, what + told('needs', needs) + told('gives', gives))
            for _, name, needs, gives, what in rows(table, 'PASS')]


# ---- the manual page --------------------------------------------------------------------------------

def roff(text):
    text = text.replace('\\', '\\e').replace('-', '\\-').replace("'", '\\(aq')
    return '\\&' + text if text[:1] in ('.', "'") else text


def entry(head, *lines):
    return ['.TP', head, *lines]


def placeholders(text):
    """Words in capitals are what the user puts in."""
    return re.sub(r'\b([A-Z][A-Z]+)\b', r'\\fI\1\\fR', roff(text))


def option_head(spellings, kind, arg):
    if spellings[0].startswith('--') or len(spellings) > 1:
        value = '' if kind == 'FLAG' else ' ' + placeholders(arg)
    else:
        value = placeholders(arg)
    return ', '.join(f'\\fB{roff(s)}\\fR' for s in spellings) + value


def man(version):
    out = [f'.TH TIKC 1 "" "tikc {version}" "User Commands"', '.SH NAME', 'tikc \\- compile TIK kernels and run them',
           '.SH SYNOPSIS']
    for _, _, synopsis, _ in commands():
        out += ['.br', f'\\fBtikc\\fR {placeholders(synopsis)}']
    out += ['.br', '\\fBtikc \\-\\-version\\fR', '.SH DESCRIPTION',
            roff('tikc compiles TIK kernels on any Linux machine: to native code, and to descriptor blobs that are proved to '
                 'stay in bounds. Both give the same bits.'),
            placeholders('FILE is a .tik, .py or .ir file; - as FILE, BLOB or TEXT reads standard input, - as OUT is standard '
                         'output. @FILE is the words of a file. Long options take their value as the next word or after =. -- ends the options.'),
            '.SH COMMANDS']
    for _, word, _, what in commands():
        out += entry(f'\\fB{roff(word)}\\fR', roff(what))
    out.append('.SH OPTIONS')
    words = {c[0]: c[1] for c in commands()} | {'IN_FILE': 'or a setting of a file'}
    for spellings, kind, of, arg, help_ in options():
        out += entry(option_head(spellings, kind, arg), roff(help_ + '.'),
                     roff('(' + ', '.join(words[c] for c in of) + ')'))
    out += entry('\\fB\\-h\\fR, \\fB\\-\\-help\\fR', roff("list a command's options."))
    out += ['.SH PASSES', 'In the order in which all of them run:']
    for name, what in passes():
        out += entry(f'\\fB{roff(name)}\\fR', roff(what))
    out.append('.SH EXIT STATUS')
    for _, number, text in rows(DRIVER + 'exit.def', 'EXIT_CODE'):
        out += entry(f'\\fB{number}\\fR', roff(text))
    out += ['.SH EXAMPLES', '.nf',
            *[roff(l) for l in ('tikc check double.tik', 'tikc run double.tik --in src_gm=x.npy --out dst_gm=y.npy',
                                'tikc build double.tik -o double.tkb', 'tikc explain range-nburst')], '.fi']
    return '\n'.join(out) + '\n'


# ---- completion ---------------------------------------------------------------------------------------

def first_column(path, macro, column):
    return sorted({r[column] for r in rows(path, macro)})


def values():
    """What the values of some options are."""
    found = {}
    for spellings, _, _, arg, _ in options():
        if re.fullmatch(r'[a-z][\w-]*(\|[\w-]+)+', arg):
            found[spellings[-1]] = list(dict.fromkeys(found.get(spellings[-1], []) + arg.split('|')))
    names = [p[0] for p in passes()]
    found['--print-after'] = found['--passes'] = names
    found['--soc'] = sorted(set(first_column('runtime/isa/soc.def', 'SOC', 0)) |
                            set(first_column('runtime/isa/soc.def', 'SOC', 1)))
    numbers = {r[0]: r[1] for r in rows('runtime/isa/choice.def', 'CHOICE')}
    found['--choice'] = [f'{numbers[r[0]]}={r[3]}' for r in rows('runtime/isa/choice.def', 'READING')]
    return found


def explained():
    """Names that explain knows: what programs call, diagnostics and choices."""
    recorded = {r[0] for r in rows(call_table.TABLE, 'RECORDED')}
    ops = [r[1] for r in rows('runtime/isa/op.def', 'OP') if r[0] not in recorded and '.' not in r[1]]
    return sorted({*ops, *(call.name for call in call_table.table()), *first_column('compiler/base/diag.def', 'DIAG', 1), *first_column('runtime/isa/rule.def', 'RULE', 1),
                   *first_column('runtime/isa/choice.def', 'CHOICE', 1)})


def case(pattern, words):
    return [f'        {pattern})', f"            words='{' '.join(words)}'", '            ;;']


def completion():
    by_command = {c[0]: ['--help'] for c in commands()}
    files = []
    for spellings, kind, of, arg, _ in options():
        for c in set(of) & set(by_command):
            by_command[c] += [s for s in spellings if s.startswith('--') or len(spellings) == 1]
        if kind != 'FLAG' and spellings[-1] not in values():
            files += spellings
    out = ['# Completion of tikc for bash. Made by tools/gen-man.py.', '_tikc()', '{',
           '    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=',
           '    COMPREPLY=()', '    if [ "$COMP_CWORD" -eq 1 ]; then',
           f"        words='{' '.join(c[1] for c in commands())} --help --version'",
           '        COMPREPLY=($(compgen -W "$words" -- "$word"))', '        return', '    fi',
           '    # The sign is a word of its own where bash splits at it: --soc=NAME, --choice U8=nearest.',
           '    local sign=0 point=', '    [ "$before" != = ] || sign=$((COMP_CWORD - 1))',
           '    if [ "$word" = = ]; then', '        sign=$COMP_CWORD word=', '    fi',
           '    if [ "$sign" -gt 2 ]; then', '        before=${COMP_WORDS[sign - 1]}',
           '        if [ "${COMP_WORDS[sign - 2]}" = --choice ]; then', '            point=$before before=--choice', '        fi', '    fi',
           '    case $before in']
    for spelling, names in sorted(values().items()):
        out += case(spelling, names)
    out += ['        ' + '|'.join(files) + ')', '            # A file, or what nothing is known of.',
            '            COMPREPLY=($(compgen -f -- "$word"))', '            return', '            ;;', '    esac',
            '    if [ -z "$words" ]; then', '        case ${COMP_WORDS[1]}$word in']
    for id_, word, _, _ in commands():
        out += ['    ' + l for l in case(f'{word}-*', by_command[id_])]
    out += ['    ' + l for l in case('explain*', explained())]
    out += ['        esac', '    fi', '    [ -z "$point" ] || words=$(printf \'%s\\n\' $words | sed -n "s/^$point=//p")',
            '    if [ -n "$words" ]; then', '        COMPREPLY=($(compgen -W "$words" -- "$word"))',
            '    else', '        COMPREPLY=($(compgen -f -- "$word"))', '    fi', '}', 'complete -o filenames -F _tikc tikc']
    return '\n'.join(out) + '\n'


def main():
    version, page, bash = sys.argv[1:]
    for path, text in ((page, man(version)), (bash, completion())):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)


if __name__ == '__main__':
    main()
