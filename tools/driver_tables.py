"""Reads the tables that --help is made from, for the manual pages and the completions.

    commands()   [Command], command.def
    options()    [Option], option.def
    passes()     [(name, what, facts)], pass.def
    explained()  names that 'tikc explain' knows
"""
import collections
import re

import call_table
from isa_tables import rows

DRIVER = 'compiler/driver/'
# files: how the names of the files end that a command works on; folders: whether it takes these, too.
Command = collections.namedtuple('Command', 'id word synopsis what files folders')
# spellings: -x, then --name; commands: their ids; value: a Value, or None of a flag.
Option = collections.namedtuple('Option', 'spellings commands arg help value')
# words: those there are to choose from; many: several of them, with commas; files: endings ('' any); folders; named: NAME= stands first
Value = collections.namedtuple('Value', 'words many files folders named')
SOURCES = ['.tik', '.py', '.ir']
ARGUMENTS = {'FILE': SOURCES, 'BLOB': ['.tkb'], 'TEXT': ['']}


def command_of(row):
    synopsis = row[5]
    arguments = synopsis.split(' ')[1] if ' ' in synopsis else ''
    files = [end for word in re.findall(r'[A-Z]+\b(?!\.[a-z])', arguments) for end in ARGUMENTS.get(word, [])]
    files += ['.json'] if re.match(r'[A-Z]+\.json', arguments) else []
    return Command(row[0], row[1], synopsis, row[6], files, 'DIR' in arguments)


def commands():
    return [command_of(r) for r in rows(DRIVER + 'command.def', 'COMMAND')]


def ids(mask, sets):
    """The commands of an expression such as CMD_COMPILE & ~CMD_TEST."""
    with_, *without = (re.sub(r'CMD_(\w+)', lambda m: sets.get(m[1], m[0]), part) for part in mask.split('& ~'))
    gone = re.findall(r'CMD_(\w+)', ' '.join(without))
    return [c for c in re.findall(r'CMD_(\w+)', with_) if c not in gone]


def passes():
    table = 'compiler/passes/pass.def'
    facts = [r[:2] for r in rows(table, 'FACT')]

    def told(mask):
        return [name for id_, name in facts if 'FACT_' + id_ in mask.replace('|', ' ').split()]
    return [(name, what, (told(needs), told(gives))) for _, name, needs, gives, what in rows(table, 'PASS')]


def processors():
    return sorted({name for r in rows('runtime/isa/soc.def', 'SOC') for name in r[:2]})


def named_words(name):
    """The values of options whose argument is a name of another table."""
    if name == 'soc':
        return processors()
    if name == 'choice':
        numbers = {r[0]: r[1] for r in rows('runtime/isa/choice.def', 'CHOICE')}
        return [f'{numbers[r[0]]}={r[3]}' for r in rows('runtime/isa/choice.def', 'READING')]
    if name in ('passes', 'print-after', 'disable'):
        return [p[0] for p in passes() if name != 'disable' or 'host' in p[2][0]]
    return []


def value_of(name, arg):
    files = ['.' + end for end in re.findall(r'FILE\.(\w+)', arg)] or ([''] if arg in ('FILE', 'OUT', 'SCRIPT') else [])
    plain = re.sub(r'.*?FILE\.\w+(\[.*\])?', '', arg) if files else arg
    words = [w for w in re.split(r'[|,]', plain) if re.fullmatch(r'[a-z][\w-]*(:SEED)?', w)]
    words = named_words(name) or [w.replace('SEED', '') for w in words]
    return Value(words, arg == 'LIST' or ',' in arg or name == 'soc', files, arg.endswith('DIR'), arg.startswith('TENSOR='))


def options():
    sets = dict(rows(DRIVER + 'command_set.def', 'COMMAND_SET'))
    found = []
    for name, letter, kind, _, mask, arg, help_ in rows(DRIVER + 'option.def', 'OPTION'):
        letter = letter.strip("'") if letter != '0' else ''
        spellings = (['-' + letter] if letter else []) + (['--' + name] if name else [])
        found.append(Option(spellings, ids(mask, sets), arg, help_, None if kind == 'FLAG' else value_of(name, arg)))
    return found


def of_command(command):
    """The options of a command; an option without a long name takes its value after its letter."""
    return [o for o in options() if command.id in o.commands]


def first_column(path, macro, column):
    return {r[column] for r in rows(path, macro)}


def explained():
    recorded = {r[0] for r in rows(call_table.TABLE, 'RECORDED')}
    ops = {r[1] for r in rows('runtime/isa/op.def', 'OP') if r[0] not in recorded and '.' not in r[1]}
    return sorted(ops | {call.name for call in call_table.table()} | first_column('compiler/base/diag.def', 'DIAG', 1) |
                  first_column('runtime/isa/rule.def', 'RULE', 1) | first_column('runtime/isa/choice.def', 'CHOICE', 1))
