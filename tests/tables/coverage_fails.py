#!/usr/bin/python3
"""Coverage fails when something is missing: takes one thing of each kind out of a copy of the tree, and looks for a
failure that names what it belonged to. Ends with 'N passed, N failed'.

What a text can tell is found by coverage.py, what the tables relate by the C compiler. Whether a meaning has its
function in the emulator and one in compiled code is found by the linker: with --build (make coverage-fails) those two are
taken out and the copy is built again, which takes half a minute.
usage: coverage_fails.py [--build]"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD, ROOT  # noqa

CC = os.environ.get('CC', 'cc').split()


def coverage(tree):
    return run(tree, [sys.executable, 'tests/tables/coverage.py'])


def compiled(path):
    """Compiles one file; a value without a case is an error."""
    def check(tree):
        return run(tree, CC + ['-std=c11', '-D_POSIX_C_SOURCE=200809L', '-Iruntime', '-Iruntime/include', '-Wswitch',
                               '-Werror=switch', '-fsyntax-only', path])
    return check


def built(tree):
    """Builds what changed: a function that a table names and nobody defines is found by the linker."""
    return run(tree, ['make', '-s', 'all'])


def run(tree, command):
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE='1', BUILD=os.path.join(tree, 'build'))
    return subprocess.run(command, cwd=tree, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


# (what is missing, file, what is taken out of it (None: the file; several files: a pattern of names), what notices,
#  text of its message)
REMOVALS = [
    ('the page of an instruction', 'docs/instructions.md', r'## `vpadding`\n', coverage,
     'vpadding: no section in docs/instructions.md'),
    ('the line of a rule', 'docs/diagnostics.md', r'.*`mask-zero`.*\n', coverage, 'mask-zero: not in docs/diagnostics.md'),
    ('the model of an instruction', 'tests/models/vector_model/fill.py', 'vci=vci, ', coverage,
     'vci: in no model of tests/models'),
    ('the golden cases of an instruction', 'tests/golden/vector/f04_vci_f16.gold', None, coverage, 'vci: no golden case'),
    ('the random calls of an instruction', 'tests/random/vector_gen/elementwise.py', r"@family\('vbcb'\)\n", coverage,
     'vbcb: no random calls'),
    ('an element type', 'runtime/isa/typeset.def', r'TYPES\(VCOPY, ON_V210_UP, .*\n', coverage,
     'vcopy: element types and cores that differ'),
    ('the test inside a rule', 'tests/lit/rules/ok-mask-zero.tik', None, coverage, 'mask-zero: no tests/lit/rules/ok-mask-zero.tik'),
    ('the test outside a rule', 'tests/lit/rules/bad-mask-zero.tik', None, coverage,
     'mask-zero: no tests/lit/rules/bad-mask-zero.tik'),
    ('the name of the rule in its test', 'tests/lit/rules/bad-mask-zero.tik', r'.*CHECK.*mask-zero.*\n', coverage,
     'mask-zero: tests/lit/rules/bad-mask-zero.tik expects another diagnostic'),
    ('a meaning', 'runtime/isa/sem.def', r'SEM\(BCB, .*\n', compiled('runtime/isa/isa.c'), 'SEM_BCB'),
    ('the function of a meaning', 'runtime/isa/sem.def', r'(?<=SEM\(BCB, broadcast), broadcast', compiled('runtime/emu/program.c'),
     'macro "SEM" requires 3 arguments'),
    ('a form', 'runtime/isa/form.def', r'FORM\(VBCB, .*\n', compiled('runtime/isa/isa.c'), 'FORM_VBCB'),
    ('a rule', 'runtime/isa/rule.def', r'RULE\(MASK_ZERO, (.|\n)*?\)\n', compiled('runtime/isa/isa.c'), 'ROW_OF_RULE_MASK_ZERO'),
    ('the number of a rule', 'runtime/isa/rule_number.def', r'RULE_NUMBER\(\d+, MASK_ZERO\)\n', compiled('runtime/rules/check.c'),
     'RULE_MASK_ZERO'),
    ('a family', 'runtime/isa/family.def', r'FAMILY\(FILL, .*\n', compiled('runtime/isa/isa.c'), 'FAM_FILL'),
    ('what a room does with a family', 'runtime/isa/family.def', r'(?<=FAMILY\(FILL, fill, exec), fill',
     compiled('runtime/rules/check.c'), 'macro "FAMILY" requires 6 arguments'),
]
BUILDING = [
    ('the rules of a family', 'runtime/rules/fill.c', r'const FamilyRules rules_fill = (.|\n)*?\};\n', built, 'rules_fill'),
    ('the meaning of an instruction in the emulator', 'runtime/emu/fill.c', r'bool\nemu_exec_broadcast\((.|\n)*?\n\}\n', built,
     'emu_exec_broadcast'),
    ('the meaning of an instruction in compiled code', 'runtime/ops/fill.c', r'bool\nops_broadcast\((.|\n)*?\n\}\n', built,
     'ops_broadcast'),
]


def copy(tree, building):
    kept = shutil.ignore_patterns('__pycache__')
    for folder in ['runtime', 'docs', 'tests/golden', 'tests/lit/rules', 'tests/models', 'tests/random', 'tests/cross', 'tests/tables', 'tools']:
        shutil.copytree(os.path.join(ROOT, folder), os.path.join(tree, folder), ignore=kept)
    shutil.copy2(os.path.join(ROOT, 'tests/paths.py'), os.path.join(tree, 'tests'))
    if building:
        for folder in ['compiler', 'grammar', 'stdlib']:
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(tree, folder), ignore=kept)
        shutil.copy2(os.path.join(ROOT, 'Makefile'), tree)
        shutil.copytree(BUILD, os.path.join(tree, 'build'), ignore=shutil.ignore_patterns('unit', 'fuzz', 'tools', 'lit', 'bench'))


def without(tree, path, pattern, check):
    """The check without something, which is back afterwards."""
    full = os.path.join(tree, path)
    text = open(full, encoding='utf-8').read()
    if pattern is None:
        os.remove(full)
    else:
        less, n = re.subn(pattern, '', text, count=1)
        if not n:
            raise SystemExit(f'{path} has no {pattern}')
        open(full, 'w', encoding='utf-8').write(less)
    try:
        return check(tree)
    finally:
        open(full, 'w', encoding='utf-8').write(text)


def main():
    building = '--build' in sys.argv
    removals = REMOVALS + (BUILDING if building else [])
    passed = failed = 0
    if building and not os.path.isdir(os.path.join(BUILD, 'obj')):
        raise SystemExit(f'{BUILD} is no build to copy')
    with tempfile.TemporaryDirectory() as tree:
        copy(tree, building)
        for check, what in [(coverage, 'coverage.py')] + [(c, p) for _, p, _, c, _ in removals if c is not coverage]:
            r = check(tree)
            if r.returncode:
                print(f'{what} fails before anything is missing:\n{r.stdout[-2000:]}')
                failed += 1
        for what, path, pattern, check, message in removals:
            r = without(tree, path, pattern, check)
            if r.returncode and message in r.stdout:
                passed += 1
                continue
            failed += 1
            print(f'{what} missing in {path}: nothing says "{message}" (exit code {r.returncode})\n{r.stdout[-600:]}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
