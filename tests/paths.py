"""Where things are, for the scripts of tests/: the tree, the build under test and its tikc. Importing this makes the modules of
all folders of tests, and those of tools/, importable."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))
TIKC = os.environ.get('TIKC', os.path.join(BUILD, 'tikc'))
FOLDERS = ('tests/models', 'tests/random', 'tests/golden', 'tests/cross', 'tests/cross/tik_stub', 'tests/tables', 'tools')
sys.path += [os.path.join(ROOT, f) for f in FOLDERS]
