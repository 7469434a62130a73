#!/usr/bin/python3
"""Compares `tikc build --emit trace` with CPython running the same file with the recording stub.

    trace_vs_python.py [FILE...]

Without files: all samples and tests/oracle/kernels/*.tik. The tool is $TIKC, else build/tikc. Ends with a
line "N passed, N failed"; exit code 1 if there is a difference."""
import contextlib
import difflib
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "tik_stub"))
import record  # noqa: E402


def of_python(path):
    with contextlib.redirect_stdout(sys.stderr):
        return record.record(path)


def of_tikc(tikc, path):
    run = subprocess.run([tikc, "build", path, "--emit", "trace", "-o", "-"],
                         capture_output=True, text=True)
    return run.stdout, run.returncode, run.stderr


def compare(tikc, path):
    """Lines that tell the difference; none when the traces are equal."""
    expected = of_python(path)
    got, code, errors = of_tikc(tikc, path)
    if code != 0:
        return ["tikc fails with exit code %d" % code] + errors.splitlines()
    if not expected:
        return ["the program builds no kernel"]
    return list(difflib.unified_diff(expected.splitlines(), got.splitlines(), "python", "tikc",
                                     lineterm=""))


def main():
    tikc = os.environ.get("TIKC", os.path.join(ROOT, "build", "tikc"))
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(ROOT, "samples", "*.tik")) +
                                   glob.glob(os.path.join(HERE, "kernels", "*.tik")))
    bad = 0
    for path in files:
        difference = compare(tikc, path)
        if difference:
            bad += 1
            print("%s: traces differ" % os.path.relpath(path, ROOT))
            print("\n".join(difference[:40]))
    print("%d passed, %d failed" % (len(files) - bad, bad))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
