#!/usr/bin/env python3
"""Runs plain Python programs under CPython and under the compile-time evaluator and compares what they
print. usage: [BUILD=DIR] python_vs_stage.py [FILE...]; without files: all of tests/lit/python/cpython."""
import difflib
import glob
import os
import subprocess
import sys


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "", "timed out", -1
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), done.returncode


def compare(tool, path):
    expected, error, status = run([sys.executable, path])
    if status != 0:
        return ["CPython fails: " + error]
    got, error, status = run([tool, path])
    lines = list(difflib.unified_diff(expected.splitlines(), got.splitlines(), "cpython", "stage", lineterm="", n=0))
    if status != 0 or error:
        lines.append("stagerun exits with %d: %s" % (status, error))
    return lines


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    tool = os.path.join(os.environ.get("BUILD", "build"), "tools", "stagerun")
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(here, "..", "lit", "python", "cpython", "*.py")))
    bad = 0
    for path in files:
        lines = compare(tool, path)
        print("%s %s" % ("FAIL" if lines else "ok  ", os.path.basename(path)))
        print("\n".join(lines[:40]) + ("\n" if lines else ""), end="")
        bad += bool(lines)
    print("%d passed, %d failed" % (len(files) - bad, bad))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
