"""Runs a kernel program under CPython with the recording stub and prints the traces of its kernels.

    python3 record.py FILE"""
import os
import runpy
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tik  # noqa: E402


def record(path):
    """The traces of the kernels that the program builds, as one text."""
    tik.kernels.clear()
    runpy.run_path(path, run_name="__main__")
    return "".join(tik.kernels)


if __name__ == "__main__":
    shown = sys.stdout
    sys.stdout = sys.stderr  # what the program itself prints
    shown.write(record(sys.argv[1]))
