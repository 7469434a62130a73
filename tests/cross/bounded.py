#!/usr/bin/python3
"""Hostile programs: each ends with the named diagnostic and exit code 1 (or is accepted, where a program is
only large), within the limits, whatever it does. usage: [TIKC=TOOL] bounded.py [--time] [TEXT...]: only
programs whose names contain one of the texts.

No verdict depends on time: the limits are lower than the defaults, so that a program which does not
count its work is stopped by CPU_SECONDS or ADDRESS_SPACE, both far above what the counted ones need.
With --time the programs run at the default limits, and a table says how many seconds of processor time and how
many megabytes each took, longest first. Ends with 'N passed, N failed'."""
import os
import re
import resource
import subprocess
import sys
import tempfile
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa

SANITIZED = 'san' in os.path.basename(os.path.dirname(os.path.abspath(TIKC)))
CPU_SECONDS = 300 if SANITIZED else 60
ADDRESS_SPACE = 3 << 30
MAX_STDERR = 200000  # bytes: nobody reads a hundred megabytes of quoted source
LIMITS = ['--max-steps', '4000000', '--max-memory', str(256 << 20), '--max-file', str(16 << 20)]

STEPS, DEPTH, MEMORY, STATEMENTS, FILE = ('limit-steps', 'limit-depth', 'limit-memory', 'limit-ir',
                                          'limit-file')
BIG, NESTED, VALUE, TYPE, SYNTAX = 'int-too-large', 'too-nested', 'value-error', 'type-error', 'syntax'
usage = {}  # of --time: name: (seconds, megabytes)
FINE = 'no-kernel'  # the program ends; it has no kernel
TIK = 'from tbe import tik\nt = tik.Tik()\n'
BUILD = 't.BuildCCE(kernel_name="k", inputs=[], outputs=[])\n'


def loop(body, setup='', times='10**9'):
    return setup + 'for i in range(%s):\n    %s\n' % (times, body)


def chain(begin, middle, end, n):
    return 'x = ' + begin * n + middle + end * n + '\n'


def member(name, body, use):
    return 'class A:\n    def %s(self, *args):\n        %s\n%s\n' % (name, body, use)


# name: (program as text or bytes, or a function that makes it; the diagnostics of which one must be first)
PROGRAMS = {
    # endless loops
    'while': ('while True:\n    pass\n', STEPS),
    'while in try': ('try:\n    while True:\n        pass\nexcept BaseException:\n    pass\n', STEPS),
    'while with handler': ('while True:\n    try:\n        raise ValueError(1)\n    except ValueError:\n'
                           '        continue\n', (STEPS, MEMORY)),
    'continue in finally': ('while True:\n    try:\n        raise ValueError(1)\n    finally:\n'
                            '        continue\n', (STEPS, MEMORY)),
    'swallowing exit': ('class A:\n    def __enter__(self):\n        return self\n'
                        '    def __exit__(self, *a):\n        return True\n'
                        'while True:\n    with A():\n        raise ValueError\n', (STEPS, MEMORY)),
    'list grows while iterated': ('a = [1]\nfor x in a:\n    a.append(x)\n', (STEPS, MEMORY)),
    'endless __next__': ('class A:\n    def __iter__(self):\n        return self\n'
                         '    def __next__(self):\n        return 1\nlist(A())\n', (STEPS, MEMORY)),
    'print': ('while True:\n    print("x" * 1000)\n', (STEPS, MEMORY)),
    'fibonacci': ('def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nf(100)\n', STEPS),
    'tile search': ('best = 0\nfor a in range(10**4):\n    for b in range(10**4):\n'
                    '        best = max(best, a * b)\n', STEPS),
    # endless recursion
    'recursion': ('def f(n):\n    return f(n + 1)\nf(0)\n', DEPTH),
    'mutual recursion': ('def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nf(0)\n', DEPTH),
    'lambda': ('f = lambda n: f(n) + 1\nf(1)\n', DEPTH),
    'recursion in finally': ('def f():\n    try:\n        f()\n    finally:\n        f()\nf()\n', DEPTH),
    'recursion in except': ('def f():\n    try:\n        f()\n    except Exception:\n        f()\nf()\n',
                            DEPTH),
    '__repr__': (member('__repr__', 'return repr(self)', 'repr(A())'), DEPTH),
    '__str__': (member('__str__', 'return "%s" % self', 'str(A())'), DEPTH),
    '__init__': (member('__init__', 'A()', 'A()'), DEPTH),
    '__eq__': (member('__eq__', 'return self == args[0]', 'A() == A()'), DEPTH),
    '__len__': (member('__len__', 'return len(self)', 'len(A())'), DEPTH),
    '__bool__': (member('__bool__', 'return bool(self)', 'bool(A())'), DEPTH),
    '__call__': (member('__call__', 'return self()', 'A()()'), DEPTH),
    '__getattr__': (member('__getattr__', 'return self.z', 'A().x'), DEPTH),
    '__setattr__': (member('__setattr__', 'self.z = 1', 'A().x = 1'), DEPTH),
    '__enter__': (member('__enter__', 'with self:\n            pass', 'with A():\n    pass'),
                  (DEPTH, TYPE)),
    'property': ('class A:\n    @property\n    def x(self):\n        return self.x\nA().x\n', DEPTH),
    'key of a sort': ('def k(x):\n    return sorted([x], key=k)\nk(1)\n', DEPTH),
    # huge values
    'list': ('a = [0] * 10**12\n', MEMORY),
    'tuple': ('a = (0,) * 10**18\n', MEMORY),
    'list times 2**63': ('a = [0, 1] * (2**63 - 1)\n', MEMORY),
    'text': ("a = 'a' * 10**12\n", MEMORY),
    'doubling list': ('a = [0]\nwhile True:\n    a = a + a\n', (MEMORY, STEPS)),
    'doubling list in place': ('a = [0]\nwhile True:\n    a += a\n', (MEMORY, STEPS)),
    'list put into itself': ('a = [0]\nwhile True:\n    a[0:0] = a\n', (MEMORY, STEPS)),
    'doubling text': ("a = 'x'\nwhile True:\n    a = a + a\n", (MEMORY, STEPS)),
    'join': ("a = ''.join(['x' * 10**6] * 10**6)\n", (MEMORY, STEPS)),
    'replace': ("a = 'x' * 10**6\nb = a.replace('x', a)\n", MEMORY),
    'center': ("a = 'x'.center(10**12)\n", MEMORY),
    'zfill': ("a = 'x'.zfill(10**12)\n", MEMORY),
    'width of format': ("a = '{:10000000000}'.format(1)\n", VALUE),
    'width of an f-string': ("w = 10**10\na = f'{1:{w}}'\n", VALUE),
    'width of %': ("a = '%*d' % (10**10, 1)\n", (TYPE, VALUE)),
    'precision of %': ("a = '%.1000000000f' % 1.5\n", (TYPE, VALUE)),
    'list of a range': ('a = list(range(10**18))\n', MEMORY),
    'sorted range': ('a = sorted(range(10**18))\n', MEMORY),
    'sum of a range': ('a = sum(range(10**18))\n', STEPS),
    'zip of ranges': ('a = list(zip(range(10**18), range(10**18)))\n', (MEMORY, STEPS)),
    'set of a range': ('a = set(range(10**18))\n', STEPS),
    'comprehension': ('a = {i: i for i in range(10**18)}\n', (MEMORY, STEPS)),
    'starred range': ('print(*range(10**18))\n', MEMORY),
    'permutations': ('import itertools\na = list(itertools.permutations(range(50)))\n', (MEMORY, STEPS)),
    'combinations': ('import itertools\na = list(itertools.combinations(range(10000), 5000))\n',
                     (MEMORY, STEPS)),
    # huge numbers
    'power of a power': ('a = 10 ** 10 ** 9\n', BIG),
    'power tower': ('a = 2 ** 2 ** 2 ** 2 ** 2 ** 2\n', BIG),
    'shift': ('a = 1 << 10 ** 12\n', BIG),
    'squares': ('a = 3\nwhile True:\n    a = a * a\n', BIG),
    'factorial': ('import math\na = math.factorial(10**9)\n', VALUE),
    'long products': (loop('b = a * a', 'a = 3 ** 20000\n'), STEPS),
    'long quotients': (loop('b = a // c', 'a = 3 ** 40000\nc = 3 ** 20000\n'), STEPS),
    'long powers': (loop('pow(2**60000 + 1, 2**60000 + 3, 2**60001 + 7)'), STEPS),
    'long roots': (loop('math.isqrt(a)', 'import math\na = 3 ** 40000\n'), STEPS),
    'texts of long numbers': (loop('str(a)', 'a = 3 ** 40000\n'), (STEPS, MEMORY)),
    'sorting long numbers': (loop('a.sort()', 'a = [3 ** 10000] * 10**4\n'), (STEPS, MEMORY)),
    # work inside one call
    'in a text': (loop('b in a', "a = 'a' * 2 * 10**6\nb = 'a' * 10**6 + 'b'\n"), STEPS),
    'count in a text': (loop('a.count(b)', "a = 'a' * 10**6\nb = 'a' * 10**5 + 'b'\n"), STEPS),
    'split': (loop("a.split(',')", "a = 'a,' * 10**6\n"), (STEPS, MEMORY)),
    'equal lists': (loop('a == b', 'a = [0] * 10**6\nb = [0] * 10**6\n'), STEPS),
    'equal texts': (loop('a == b', "a = 'a' * 10**6\nb = 'a' * 10**6\n"), STEPS),
    'remove': ('a = [0] * 10**6\nwhile a:\n    a.remove(0)\n', STEPS),
    'insert': (loop('a.insert(0, i)', 'a = []\n'), STEPS),
    'delete the first': ('a = [0] * 10**6\nwhile a:\n    del a[0]\n', STEPS),
    'union': (loop('a | a', 'a = set(range(10**4))\n'), (STEPS, MEMORY)),
    'keys with one hash': ('d = {}\nclass A:\n    def __hash__(self):\n        return 1\n'
                           '    def __eq__(self, o):\n        return self is o\n'
                           + loop('d[A()] = i'), STEPS),
    'keys with equal low bits': (loop('d[i << 40] = i', 'd = {}\n', '10**5'), FINE),
    'keys modulo a prime': (loop('d[i * (2**61 - 1)] = i', 'd = {}\n', '5 * 10**4'), FINE),
    'fields of a named tuple': ('import collections\n'
                                'collections.namedtuple("A", ["f%d" % i for i in range(10**4)])\n', STEPS),
    'parameters by name': ('def f(' + ', '.join('a%d=1' % i for i in range(10**4)) + '):\n    pass\nf('
                           + ', '.join('a%d=1' % i for i in range(10**4)) + ')\n', (FINE, STEPS)),
    'replace of a long part': (loop('s.replace(b, "")', "s = 'a' * 10**5\nb = 'a' * 5 * 10**4 + 'b'\n"), STEPS),
    'partition': (loop('s.partition("b")', "s = 'a' * 10**6\n"), STEPS),
    'rsplit from the end': ("s = 'a,' * 10**6\ns.rsplit(',', 10**6)\n", STEPS),
    'letters': (loop('s.isdigit()', "s = '1' * 10**6\n"), STEPS),
    'strip': (loop('s.strip()', "s = ' ' * 10**6\n"), STEPS),
    'long texts to numbers': (loop('int(s)', "s = '9' * 19000\n"), (STEPS, MEMORY)),
    'order of lists': (loop('a < b', 'a = [0] * 10**6\nb = [0] * 10**6\n'), STEPS),
    'equal dictionaries': (loop('a == b', 'a = {i: i for i in range(10**5)}\nb = dict(a)\n'), STEPS),
    'many fields': (loop('s % a', "s = '%d' * 10**5\na = (0,) * 10**5\n"), (STEPS, MEMORY)),
    'many keywords': (loop('f(**d)', 'def f(**k):\n    return len(k)\n'
                           'd = {"a%d" % i: i for i in range(10**4)}\n'), (STEPS, MEMORY)),
    'many arguments': ('def f(*a):\n    return len(a)\nf(*([0] * 10**7))\n', (MEMORY, STEPS)),
    'unknown names': ('while True:\n    try:\n        undefined\n    except NameError:\n        pass\n', STEPS),
    'translate': (loop('s.translate(t)', 's = "a" * 10**6\nt = str.maketrans("a", "b")\n'), (STEPS, MEMORY)),
    'characters from the start': (loop('s[10**6 - 1 - i * 7919 % 10**6]', 's = "\\u00e9" * 10**6\n'), STEPS),
    # deep and circular values
    'repr of a deep list': (loop('a = [a]', 'a = []\n', '10**5') + 'repr(a)\n', DEPTH),
    'comparing deep lists': (loop('a, b = [a], [b]', 'a, b = [], []\n', '2 * 10**5') + 'a == b\n', DEPTH),
    'order of deep lists': (loop('a, b = [a], [b]', 'a, b = [], []\n', '2 * 10**5') + 'a < b\n', DEPTH),
    'deep tuple as a key': (loop('a = (a,)', 'a = ()\n', '3 * 10**5') + '{a: 1}\n', DEPTH),
    'deepcopy of a deep list': ('import copy\n' + loop('a = [a]', 'a = []\n', '2 * 10**5')
                                + 'copy.deepcopy(a)\n', DEPTH),
    'repr of shared lists': (loop('a = [a, a]', 'a = []\n', '100') + 'repr(a)\n', (STEPS, MEMORY)),
    'comparing shared tuples': (loop('a, b = (a, a), (b, b)', 'a, b = (), ()\n', '100') + 'a == b\n',
                                STEPS),
    'hash of shared tuples': (loop('a = (a, a)', 'a = ()\n', '100') + '{a: 1}\n', STEPS),
    'deepcopy of shared lists': ('import copy\n' + loop('a = [a, a]', 'a = []\n', '100')
                                 + 'copy.deepcopy(a)\n', (FINE, STEPS)),
    'list in itself': ('a = []\na.append(a)\nprint(a, str(a))\nassert str(a) == "[[...]]"\n', FINE),
    'dict in itself': ('a = {}\na[0] = a\nprint(a)\n', FINE),
    'comparing lists in themselves': ('a = []\na.append(a)\nb = []\nb.append(b)\na == b\n', DEPTH),
    'deepcopy of a list in itself': ('import copy\na = []\na.append(a)\ncopy.deepcopy(a)\n',
                                     (FINE, DEPTH)),
    'isinstance of shared tuples': (loop('a = (a, a)', 'a = int\n', '100') + 'isinstance("", a)\n', STEPS),
    'deep iterators': (loop('a = map(abs, a)', 'a = [1]\n', '10**5') + 'list(a)\n', DEPTH),
    'deep partial functions': ('import functools\nf = abs\n' + loop('f = functools.partial(f)', '', '3 * 10**4')
                               + 'f(1)\n', (FINE, DEPTH)),
    'deep classes': ('A = object\nfor i in range(10**5):\n    class B(A):\n        pass\n    A = B\n', DEPTH),
    # sources
    'round brackets': (chain('(', '1', ')', 10**6), NESTED),
    'square brackets': (chain('[', '1', ']', 10**6), NESTED),
    'open brackets': ('x = ' + '(' * 10**6, NESTED),
    'minus': (chain('-', '1', '', 10**6), NESTED),
    'not': (chain('not ', '1', '', 10**6), NESTED),
    'powers': (chain('1 ** ', '1', '', 10**5), NESTED),
    'lambdas': (chain('lambda: ', '1', '', 10**5), NESTED),
    'conditions': (chain('1 if 1 else ', '1', '', 10**5), NESTED),
    'attributes': (chain('', 'x', '.x', 10**6), NESTED),
    'calls': (chain('', 'x', '()', 10**6), NESTED),
    'indices': (chain('', 'x', '[0]', 10**6), (NESTED, MEMORY)),
    'sums of texts': (chain('', '"a"', ' + "a"', 10**6), (NESTED, MEMORY)),
    'comparisons': (chain('', '1', ' <= 1', 3 * 10**5), FINE),
    'adjacent texts': (chain('', '"a"', ' "a"', 5 * 10**5), FINE),
    'elif': (lambda: 'x = 0\nif x:\n    pass\n'
             + ''.join('elif x == %d:\n    pass\n' % i for i in range(10**5)), NESTED),
    'nested blocks': (lambda: ''.join(' ' * i + 'if 1:\n' for i in range(3000)), NESTED),
    'nested functions': (lambda: ''.join(' ' * i + 'def f():\n' for i in range(3000)), NESTED),
    'for clauses': ('x = [1 ' + 'for i in range(2) ' * 10**4 + ']\n', (STEPS, NESTED, DEPTH)),
    'decorators': ('@x\n' * 10**5 + 'def f():\n    pass\n', 'not-supported'),
    'fields in fields': ('x = f"' + '{1:' * 10**5 + '}' * 10**5 + '"\n', 'bad-literal'),
    'many errors': ('$\n' * 10**6, SYNTAX),
    'many unfinished texts': ("'\n" * 10**6, 'unterminated-string'),
    'many undefined names': ('x\n' * 3 * 10**5, 'name-error'),
    'comments': (lambda: '# comment\n' * 10**7, FILE),
    'one comment': (lambda: '#' + 'x' * 10**8, FILE),
    'one text': (lambda: 'x = "' + 'a' * 10**8 + '"\n', FILE),
    'one number': (lambda: 'x = ' + '9' * 10**8 + '\n', FILE),
    'number of 10 million digits': (lambda: 'x = ' + '9' * 10**7 + '\n', BIG),
    'name of 10 million letters': (lambda: 'x' * 10**7 + '\n', 'name-error'),
    'float of 10 million digits': (lambda: 'x = 1.' + '9' * 10**7 + '\n', FINE),
    'line of 10 million': (lambda: 'x = [' + '1,' * (5 * 10**6) + ']\n', STEPS),
    'empty lines': (lambda: '\n' * 10**7, FINE),
    'long message': ('raise ValueError("x" * 10**7)\n', VALUE),
    'a million assignments': (lambda: 'x = 1;' * 10**6, STEPS),
    'a million allowances in a comment': ('# tikc: allow(' + 'a,' * 10**6 + '): x\n', ('allow-name', STEPS)),
    'a million allowances again': (lambda: '# tikc: allow(' + 'tensor-overflow, ' * 10**5 + '): x\n', STEPS),
    'comments with wrong names': (lambda: '# tikc: allow(tensor-overfow): x\n' * 10**5, ('allow-name', STEPS)),
    'prefixes of a name': ('# tikc: allow(' + 'e-' * 10**6 + '): x\n', 'allow-name'),
    'allowances and warnings': (TIK + 's = t.Scalar("int32")\n'
                                + ''.join('s.set_as(%d.5)  # tikc: allow(tensor-overflow): x\n' % i for i in range(20000))
                                + 't.BuildCCE("k", [], [])\n', 'scalar-fraction'),
    'NUL': (b'x = 1\0\n', 'encoding'),
    'many NULs': (b'\0' * 10**6, 'encoding'),
    'invalid UTF-8': (b'x = "\xff\xfe"\n', 'encoding'),
    'overlong UTF-8': (b'x = "\xc0\x80"\n', 'encoding'),
    'surrogate': (b'x = "\xed\xa0\x80"\n', 'encoding'),
    'UTF-16': ('x = 1\n'.encode('utf-16'), 'encoding'),
    'noise': (bytes((i * i * 7919 >> 3) & 255 for i in range(10**5)), 'encoding'),
    'BOM': (b'\xef\xbb\xbfx = 1\n', FINE),
    'BOM inside': (b'x = 1\n\xef\xbb\xbfy = 2\n', 'encoding'),
    'CR alone': (b'x = 1\ry = x\rassert y == 1\r', FINE),
    'CR LF': (b'x = 1\r\nif x:\r\n    y = 2\r\n', FINE),
    'tabs': (b'if 1:\n\tx = 1\n\ty = 2\n', FINE),
    'tabs and spaces': (b'if 1:\n\tx = 1\n        y = 2\n', 'indent'),
    'form feed': (b'x = 1\n\x0cy = 2\n', FINE),
    # no way out
    'file': ('open("/etc/passwd")\n', 'not-supported'),
    'process': ('import os\nos.system("id")\n', 'exception'),
    'input': ('input()\n', 'not-supported'),
    'eval': ('eval("1")\n', 'not-supported'),
    # kernels
    'huge tensor': (TIK + 't.Tensor("float16", (10**18, 10**18), name="a", scope=tik.scope_ubuf)\n',
                    'tensor-shape'),
    'huge dimension': (TIK + 't.Tensor("float16", (10**30,), name="a", scope=tik.scope_ubuf)\n',
                       (BIG, 'tensor-shape', 'arg-type')),
    'a million dimensions': (TIK + 't.Tensor("float16", (1,) * 10**6, name="a", scope=tik.scope_gm)\n',
                             'tensor-shape'),
    'argument listed a million times': (TIK + 'x = t.Tensor("float16", (16,), name="x", scope=tik.scope_gm)\n'
                                        't.BuildCCE("k", [x] * 10**6, [])\n', ('build-args', STEPS)),
    'many arguments of a kernel': (TIK + 'l = [t.Tensor("int8", (1,), name="x%d" % i, scope=tik.scope_gm) for i in range(2 * 10**4)]\n'
                                   't.BuildCCE("k", l, [])\n', 'build-args'),
    'endless tensors': (TIK + 'while True:\n    t.Tensor("float16", (16,), name="a", scope=tik.scope_ubuf)\n',
                        (STEPS, MEMORY)),
    'endless Scalars': (TIK + 'while True:\n    t.Scalar("int32")\n', (STEPS, MEMORY)),
    'endless kernels': (TIK + 'while True:\n    t = tik.Tik()\n    ' + BUILD, (STEPS, MEMORY)),
    'endless statements': (TIK + 's = t.Scalar("int32")\nwhile True:\n    s.set_as(s + 1)\n',
                           (STEPS, MEMORY)),
    'ten million statements': (TIK + 's = t.Scalar("int32")\n' + loop('s.set_as(i)', '', '10**7'),
                               STATEMENTS, '--max-steps', '10000000000', '--max-memory', '4000000000',
                               '--max-statements', '100000'),
    'nested for_range': (TIK + 'def f():\n    with t.for_range(0, 2):\n        f()\nf()\n', NESTED),
    'nested if_scope': (TIK + 's = t.Scalar("int32", init_value=1)\ndef f():\n    with t.if_scope(s > 1):\n'
                        '        f()\nf()\n', NESTED),
    # calls that take far longer than a step of a loop
    'modules again': (loop('import math, collections'), STEPS),
    'names of a module again': (loop('from math import *'), STEPS),
    'values of an Enum': ('import enum\nclass E(enum.Enum):\n'
                          + ''.join('    A%d = %d\n' % (i, i) for i in range(20000)), STEPS),
    'a value of an Enum': (loop('E(999)', 'import enum\nclass E(enum.Enum):\n'
                                + ''.join('    A%d = %d\n' % (i, i) for i in range(1000))), STEPS),
    'exceptions': (loop('try:\n        [][1]\n    except IndexError:\n        pass'), (STEPS, MEMORY)),
    'tuple of exceptions': (loop('try:\n        raise ValueError\n    except t:\n        pass\n'
                                 '    except ValueError:\n        pass', 't = (KeyError,) * 10**5\n'), STEPS),
    'new names': (loop('hasattr(1, "x%d" % i)'), (STEPS, MEMORY)),
    'functions of floats': (loop('math.sin(1e22 + i)', 'import math\n'), STEPS),
    'instances with one hash': ('class A:\n    def __hash__(self):\n        return 1\ns = set()\nwhile True:\n    s.add(A())\n',
                                STEPS),
    'quotients of large integers': (loop('a / b', 'a = 3**40000\nb = a - 1\n'), STEPS),
    'floats as texts': (loop('str(i * 1.1)'), (STEPS, MEMORY)),
    'subnormal floats as texts': (loop('str(2.3e-308)'), (STEPS, MEMORY)),
    'a thousand digits': (loop('"%.1000e" % 0.1'), (STEPS, MEMORY)),
    'digits of a large float': (loop('"%.300f" % 1e300'), (STEPS, MEMORY)),
    'digits of a small float': (loop('"%.1074f" % 5e-324'), (STEPS, MEMORY)),
    'digits of two': (loop('f"{2**60:b}"'), (STEPS, MEMORY)),
    'wide fields': (loop('f"{1:>100000}"'), (STEPS, MEMORY)),
    'groups of digits': (loop('f"{a:,}"', 'a = 3**40000\n'), (STEPS, MEMORY)),
    'attributes in a format': (loop('s.format(a)', 'class A:\n    pass\na = A()\na.x = a\ns = "{0" + ".x" * 10**5 + "}"\n'),
                               STEPS),
    'hexadecimal floats': (loop('(0.1).hex()'), (STEPS, MEMORY)),
    'hexadecimal digits': (loop('float.fromhex(s)', 's = "1" * 10**6\n'), (STEPS, MEMORY)),
    'texts to floats': (loop('float("1.2345e-300")'), STEPS),
    'ratios': (loop('(1e-300).as_integer_ratio()'), (STEPS, MEMORY)),
    'order of texts': (loop('sorted(a)', 'a = ["x" * 63 + str(i) for i in range(10**4)]\n'), (STEPS, MEMORY)),
    'least text': (loop('min(a)', 'a = ["x" * 60 + str(i) for i in range(10**4)]\n'), STEPS),
    'filters of filters': ('g = range(10**9)\nfor k in range(800):\n    g = filter(None, g)\nsum(g)\n', STEPS),
    'maps of maps': ('g = range(10**9)\nfor k in range(800):\n    g = map(abs, g)\nsum(g)\n', STEPS),
    'deep classes': (loop('hasattr(b, "zzz")', 'A = object\nfor i in range(200):\n    class B(A):\n        pass\n'
                          '    A = B\nb = A()\n'), STEPS),
    'large dictionaries': (loop('d[i * 7919 % 10**5]', 'd = {i: i for i in range(10**5)}\n'), STEPS),
    'profiles': (loop('tik.Dprofile("v100", "mini")', 'from tbe import tik\n'), (STEPS, MEMORY)),
    'tensors of values': (TIK + loop('t.Tensor("float16", (1000,), name="a", scope=tik.scope_gm, '
                                     'init_value=[1.0] * 1000)'), (STEPS, MEMORY)),
    'comparisons of Scalars': (TIK + loop('s > 1', 's = t.Scalar("int32")\n'), STEPS),
    'views': (TIK + loop('u[i % 1024]', 'u = t.Tensor("float16", (1024,), name="u", scope=tik.scope_ubuf)\n'), STEPS),
    'names of a module': (loop('from math import sin, cos, tan, log, exp, sqrt'), STEPS),
    'reflected methods': (loop('1 + a', 'class A:\n    def __radd__(self, o):\n        return self\na = A()\n'), (STEPS, MEMORY)),
    'growing expression': (TIK + 's = t.Scalar("int32")\ne = s + 1\nwhile True:\n    e = e * e + s\n',
                           (STATEMENTS, STEPS)),
    'deep expression': (TIK + 's = t.Scalar("int32")\ne = s + 1\n' + loop('e = e * 3 + i'), (STATEMENTS, STEPS)),
}
SHOWN = re.compile(rb'(?:error|warning): .*\[([a-z-]+)\]$')


def limit_process(seconds=CPU_SECONDS):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not SANITIZED:  # the sanitizers reserve terabytes
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def complaint(path, wanted, options):
    """What is wrong with the run of one program, or nothing."""
    p = subprocess.run([TIKC, 'check', path] + (list(options) or LIMITS), stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit_process)
    names = [m.group(1).decode() for m in map(SHOWN.search, p.stderr[:MAX_STDERR].split(b'\n')) if m]
    told = p.stderr[:600].decode(errors='replace')
    if p.returncode != 1:
        return 'exit code %d\n%s' % (p.returncode, told)
    if len(p.stderr) > MAX_STDERR:
        return '%d bytes of diagnostics\n%s' % (len(p.stderr), told)
    if not names or names[0] not in wanted:
        return 'the first diagnostic is %s, not %s\n%s' % (names[:1], ' or '.join(wanted), told)
    return ''


def measured(path):
    """(seconds, megabytes) at the default limits."""
    child = subprocess.Popen([TIKC, 'check', path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, preexec_fn=limit_process)
    _, _, used = os.wait4(child.pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def run(name, path):
    program, wanted, *options = PROGRAMS[name]
    program = program() if callable(program) else program
    with open(path, 'wb') as f:
        f.write(program if isinstance(program, bytes) else program.encode())
    if '--time' in sys.argv:
        usage[name] = measured(path)
        return True
    wrong = complaint(path, (wanted,) if isinstance(wanted, str) else wanted, options)
    if wrong:
        print('%s: %s' % (name, wrong))
    return not wrong


def main():
    texts = [a for a in sys.argv[1:] if a != '--time']
    names = [n for n in PROGRAMS if not texts or any(a in n for a in texts)]
    with tempfile.TemporaryDirectory() as tmp:
        good = sum(run(n, os.path.join(tmp, 'program.tik')) for n in names)
    for name in sorted(usage, key=usage.get, reverse=True):
        print('%6.2f s %6.0f MB  %s' % (*usage[name], name))
    print('%d passed, %d failed' % (good, len(names) - good))
    return 0 if good == len(names) and good else 1


if __name__ == '__main__':
    sys.exit(main())
