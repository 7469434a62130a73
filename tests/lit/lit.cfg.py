"""Configuration of the lit tests. Substitutions:

%tikc           the tool
%exit N CMD     runs CMD and succeeds when its exit code is N
%same FILE      succeeds when standard input is what FILE holds; run.py --update makes it so
%python         the interpreter that has numpy
%build          the build
%samples        the folder of the samples

Features: sanitized     the build has a sanitizer in it
"""
import os
import sys

import lit.formats

config.name = 'tikc'
config.test_format = lit.formats.ShTest(True)
if 'reach' in lit_config.params:  # which mutants each test reaches (tests/mutants)
    sys.path.append(os.path.join(os.path.dirname(os.path.dirname(__file__)), 'mutants'))
    from reaching import Reaching
    config.test_format = Reaching(True)
config.suffixes = ['.tik', '.ir', '.test']
config.excludes = ['inputs', 'expected']
config.test_source_root = os.path.dirname(__file__)
build = lit_config.params['build']
config.test_exec_root = lit_config.params.get('work', os.path.join(build, 'lit'))
root = os.path.dirname(os.path.dirname(config.test_source_root))
config.environment['PATH'] = '/usr/lib/llvm-19/bin:' + os.environ['PATH']
for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'TIKC_UPDATE', 'TIK_MUTANT'):
    if name in os.environ:
        config.environment[name] = os.environ[name]
with open(os.path.join(build, 'tikc'), 'rb') as f:
    if b'__asan_init' in f.read():
        config.available_features.add('sanitized')
config.substitutions += [
    ('%tikc', os.path.join(build, 'tikc')),
    ('%exit', os.path.join(root, 'tests/tools/exit-code.sh')),
    ('%same', os.path.join(root, 'tests/tools/same.sh')),
    ('%python', sys.executable),
    ('%samples', os.path.join(root, 'samples')),
    ('%build', build),
    ('%root', root),
]
