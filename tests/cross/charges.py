#!/usr/bin/python3
"""Every built-in function and method of the compile-time evaluator is charged for what it does.

The calls are made from the tables themselves: each row of a BuiltinRow array and of the table of types in
compiler/python. A row's program calls it again and again on large texts, lists, dictionaries, sets, integers and
keyword arguments. A row that says COST_ONE must get to its end; any other row must be stopped by a limit, which
is so low that only a call that charges nothing would get through. Both within a processor time that a call which
works without being charged exceeds. So a new row cannot forget its charge, and a new array must be told here
how its functions are reached. Ends with 'N passed, N failed'. usage: [TIKC=TOOL] charges.py [TEXT...]: only
rows whose names contain one of the texts."""
import glob
import itertools
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa
from bounded import SANITIZED, SHOWN, TIKC, limit_process  # noqa: E402

CPU_SECONDS = 120 if SANITIZED else 12
TIMES = 3000         # calls with the same arguments
TIMES_OF_ONE = 5000
# Steps of the definitions, and of a call that is charged for nothing: the limit lets all calls of a row through.
HEAD_STEPS, CALL_STEPS = 2000000, 40

# array: what its functions are reached by; receivers, or a module. None: no program reaches it.
TEXTS = ['TEXT', '"\\u00e9" * 100000', '"\\t" * 20000', '""']
ARRAYS = {
    'builtin.c:functions': '', 'builtin_type.c:object_methods': None,
    'class.c:named_methods': ['collections.namedtuple("T", ["f%d" % i for i in range(500)])(*range(500))'],
    'dictmethod.c:dict_statics': 'dict.', 'dictmethod.c:dict_rows': ['dict(DICT)'],
    'dictmethod.c:set_rows': ['set(SET)'], 'dictmethod.c:set_questions': ['SET', 'frozenset(SET)'],
    'listmethod.c:special_rows': ['list(LIST)', 'tuple(LIST)', 'dict(DICT)', 'SET', 'TEXT', 'range(10**6)'],
    'listmethod.c:list_rows': ['list(LIST)'], 'listmethod.c:tuple_rows': ['tuple(LIST)'],
    'mathmodule.c:rows': 'math.', 'numbermethod.c:int_methods': ['BIG'], 'numbermethod.c:int_statics': 'int.',
    'numbermethod.c:float_methods': ['1.5e300'], 'numbermethod.c:float_statics': 'float.',
    'numbermethod.c:range_methods': ['range(10**6)'], 'numbermethod.c:slice_methods': ['slice(1, 10**6)'],
    'stdmodule.c:functools_rows': 'functools.', 'stdmodule.c:operator_rows': 'operator.',
    'stdmodule.c:copy_rows': 'copy.', 'stdmodule.c:itertools_rows': 'itertools.',
    'stdmodule.c:collections_rows': 'collections.', 'stdmodule.c:enum_rows': 'enum.',
    'stdmodule.c:typing_rows': 'typing.', 'stdmodule.c:importlib_rows': 'importlib.', 'stdmodule.c:types_rows': None,
    'stdmodule.c:abc_rows': 'abc.', 'stdmodule.c:warnings_rows': 'warnings.',
    'strmethod.c:rows': TEXTS, 'strmethod.c:statics': 'str.',
    'target.c:rows': None,  # of the modules in stdlib/ alone
}
# Types whose values are made in the same time whatever they are made of.
TYPES_OF_ONE_STEP = {'bool', 'range', 'slice', 'type'}
# What the language refuses by name: the call ends the program.
REFUSED = {'encode', 'to_bytes', 'from_bytes'}
# Rows whose work has the size of the source: as many as a function has names.
SIZE_OF_THE_SOURCE = {'locals'}
# Arguments that are accepted though no value of the kinds below is. Rows: the text of the arguments.
SPECIAL = {
    'reduce': ['max, LIST'], 'itemgetter': ['*LIST[:1000]'], 'namedtuple': ['"T", NAMES'], 'permutations': ['LIST[:9]'],
    'combinations': ['LIST[:20], 10'], 'product': ['LIST[:1000], LIST[:1000]'], 'next': ['iter(lambda: len(LIST[:9999]), 1)'],
    'isinstance': ['"", (int,) * 50000'], 'issubclass': ['str, (int,) * 50000'], 'map': ['abs, LIST'],
    'dir': ['OBJECT'], 'vars': ['OBJECT'], 'locals': [''], 'globals': [''], 'delattr': ['OBJECT, setattr(OBJECT, TEXT, 1) or TEXT'],
    'fsum': ['FLOATS'], 'comb': ['5000, 2500'], 'perm': ['4000, 3000'], 'factorial': ['5000'], 'pow': ['BIG, BIG, BIG + 2', '3, 40000'],
    'format': ['TEXT, ">200000"', '1.5, ".100000f"'], 'round': ['BIG, -1000'], 'fromhex': ['"1" * 100000'],
    'translate': ['str.maketrans("ab", "ba")'], '_replace': ['f1=LIST'], '_make': ['range(500)'],
    'index': ['len(LIST) - 1'], 'remove': ['it.append(-1) or -1', 'it.add((1,) * 50000) or (1,) * 50000'],
    'getitem': ['LIST, slice(1, 10**5)'], 'int': ['"1" + "0" * 9999', '" " * 200000 + "1"'], 'float': ['"1" + " " * 200000'],
    'startswith': ['TEXT[:-1]', '("x",) * 50000'], 'endswith': ['TEXT[1:]', '("x",) * 50000'],
    'find': ['"zz"'], 'rfind': ['"zz"'], 'removeprefix': ['TEXT[:-1]'], 'sum': ['LISTS, []'], 'center': ['200000'],
    'get': ['(1,) * 50000'], 'setdefault': ['(1,) * 50000, 1'], 'add': ['(1,) * 50000'], 'discard': ['(1,) * 50000'],
    'pop': ['0', '*(it.add(object()) or ())'], 'insert': ['0, 1'], '__getitem__': ['slice(1, 10**5)'],
    '__setitem__': ['slice(0, 1), LIST', '(1,) * 50000, 1'], '__contains__': ['-1', '(1,) * 50000', '"zz"'],
}
VALUES = ['TEXT', 'LIST', 'DICT', 'SET', 'BIG', 'WORDS', 'PAIRS', '3', '1.5', '"a"', 'abs', 'None']
SECOND = ['TEXT', 'LIST', 'DICT', 'SET', 'BIG', '3', '"a"', 'abs', 'len']
THIRD = ['"a", "b", 1000000', 'TEXT, TEXT, 3', 'TEXT, TEXT, TEXT', 'OBJECT, "x", TEXT', 'OBJECT, TEXT, 3', 'TEXT, 0, 3']
HEAD = '''import abc, collections, copy, enum, functools, importlib, itertools, math, operator, typing, warnings
TEXT = 'ab, ' * 50000
LIST = list(range(50000))
DICT = {i: i for i in range(10000)}
SET = set(range(10000))
BIG = 3 ** 40000
WORDS = ['ab'] * 50000
NAMES = ['f%d' % i for i in range(500)]
PAIRS = [(i, i) for i in range(10000)]
FLOATS = [1e300, 1e-300] * 10000
LISTS = [[1]] * 500
KEYWORDS = {'k%d' % i: i for i in range(2000)}
class Object:
    pass
OBJECT = Object()
OURS = globals()
for i in range(2000):
    setattr(OBJECT, 'x%d' % i, i)
    OURS['y%d' % i] = i
def run(make, call):
    try:
        it = make()
        call(it)
        for i in range(TIMES):
            call(it)
    except Exception:
        pass
'''
ROW = re.compile(r'\{"(\w+)",\s*\w+,\s*(\d+),\s*(\d+),\s*(NULL|"[^"]*")(?:,\s*(COST_\w+))?\}')


def tables():
    """(array, name, least, most, keywords, cost) of every row, and of every type."""
    for path in sorted(glob.glob(os.path.join(ROOT, 'compiler', 'python', '*.c'))):
        text = open(path).read()
        for array in re.finditer(r'\bBuiltinRow (\w+)\[\] = \{(.*?)\n?\};', text, re.S):
            where = '%s:%s' % (os.path.basename(path), array.group(1))
            rows = ROW.findall(array.group(2))
            if len(rows) != len(re.findall(r'\{"', array.group(2))):
                raise SystemExit('%s: a row that this test cannot read\n0 passed, 1 failed' % where)
            for name, least, most, keywords, cost in rows:
                yield where, name, int(least), int(most), keywords, cost or 'COST_SIZES'
    text = open(os.path.join(ROOT, 'compiler', 'python', 'builtin_type.c')).read()
    for name in re.findall(r'\{VAL_\w+, "(\w+)", make_\w+, true\}', text) + ['frozenset']:
        yield 'types', name, 1, 1, 'NULL', 'COST_ONE' if name in TYPES_OF_ONE_STEP else 'COST_INSIDE'


def arguments(name, least, most, keywords):
    yield from SPECIAL.get(name, [])
    if least == 0:
        yield ''
    if least <= 1 <= most:
        yield from VALUES
    if least <= 2 <= most:
        yield from map(', '.join, itertools.product(SECOND, repeat=2))
    if least <= 3 <= most:
        yield from THIRD
    if keywords == '"*"':
        yield ', '.join(['"{k1}"'] * least + ['**KEYWORDS'])


def program(array, row, times):
    name, least, most, keywords, _ = row
    owner = '' if array == 'types' else ARRAYS[array]
    receivers = owner if isinstance(owner, list) else ['None']
    calls = []
    for receiver in receivers:
        for args in arguments(name, least, most, keywords):
            call = 'it.%s(%s)' % (name, args) if isinstance(owner, list) else '%s%s(%s)' % (owner, name, args)
            calls.append('run(lambda: %s, lambda it: %s)\n' % (receiver, call))
    return 'TIMES = %d\n' % times + HEAD + ''.join(calls), len(calls)


def checked(array, row, path):
    """What is wrong with a row, or nothing."""
    name, cost = row[0], row[-1]
    one = cost == 'COST_ONE'
    times = TIMES_OF_ONE if one else TIMES
    text, calls = program(array, row, times)
    with open(path, 'w') as f:
        f.write(text)
    limits = ['--max-steps', str(HEAD_STEPS + CALL_STEPS * calls * times * (40 if one else 1)),
              '--max-memory', str((2 << 30) if one else (256 << 20))]
    p = subprocess.run([TIKC, 'check', path] + limits, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, preexec_fn=lambda: limit_process(CPU_SECONDS))
    found = [m.group(1).decode() for m in map(SHOWN.search, p.stderr.split(b'\n')) if m][:1]
    first = found[0] if found else 'exit code %d' % p.returncode
    if name in REFUSED:
        return '' if first == 'not-supported' else first
    if p.returncode < 0:
        return 'works without being charged: ended by signal %d' % -p.returncode
    if one or name in SIZE_OF_THE_SOURCE:
        return '' if first == 'no-kernel' else 'says COST_ONE; it ends with %s' % first
    if first == 'no-kernel':
        return 'is not charged: thousands of calls on large arguments got through'
    return '' if first in ('limit-steps', 'limit-memory') else 'ends with %s' % first


def main():
    texts = sys.argv[1:]
    good = bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        for array, *row in tables():
            title = '%s %s' % (array, row[0])
            if texts and not any(t in title for t in texts):
                continue
            if array != 'types' and array not in ARRAYS:
                wrong = 'a new array: ARRAYS must say how its functions are called'
            elif array != 'types' and ARRAYS[array] is None:
                continue
            else:
                wrong = checked(array, row, os.path.join(tmp, 'program.tik'))
            good, bad = good + (not wrong), bad + bool(wrong)
            if wrong:
                print('%s: %s' % (title, wrong), flush=True)
    print('%d passed, %d failed' % (good, bad))
    return 0 if good and not bad else 1


if __name__ == '__main__':
    sys.exit(main())
