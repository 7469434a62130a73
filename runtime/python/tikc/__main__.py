"""Runs a program for the original toolkit: python -m tikc [--soc NAME] [--backend host|emulator] PROGRAM.py [ARGUMENT]..."""
from __future__ import annotations

import argparse
import os
import runpy
import sys


def main() -> None:
    parser = argparse.ArgumentParser(prog='python -m tikc', description='Runs a program that imports tbe or te, under this Python.')
    parser.add_argument('--soc', help='the processor, whatever the program says')
    parser.add_argument('--backend', choices=('host', 'emulator'), help='where start_debug runs kernels')
    parser.add_argument('program')
    parser.add_argument('arguments', nargs=argparse.REMAINDER)
    given = parser.parse_args()
    for variable, value in (('TIKC_SOC', given.soc), ('TIKC_BACKEND', given.backend)):
        if value:
            os.environ[variable] = value
    if not os.path.isfile(given.program):
        parser.error(f"there is no file '{given.program}'")
    from . import shims
    shims.install()
    sys.argv = [given.program, *given.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(given.program))
    runpy.run_path(given.program, run_name='__main__')


if __name__ == '__main__':
    main()
