#!/usr/bin/python3
"""Compares `tikc build --emit trace` with CPython running the same file with the recording stub.

    trace_vs_python.py [FILE...]

Without files: all samples, tests/cross/kernels/*.tik and the calls of the operators in
tests/cross/operators (programs.py). The tool is $TIKC, else build/tikc. Ends with a
line "N passed, N failed"; exit code 1 if there is a difference."""
import contextlib
import difflib
import os
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import programs  # noqa: E402
import record  # noqa: E402


def of_python(program):
    with contextlib.redirect_stdout(sys.stderr):
        return record.record(*program)


def of_tikc(tikc, program):
    command = [tikc, "build"] + programs.arguments(program) + ["--emit", "trace", "-o", "-"]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout, run.returncode, run.stderr


def compare(tikc, program):
    """Lines that tell the difference; none when the traces are equal."""
    expected = of_python(program)
    got, code, errors = of_tikc(tikc, program)
    if code != 0:
        return ["tikc fails with exit code %d" % code] + errors.splitlines()
    if not expected:
        return ["the program builds no kernel"]
    return list(difflib.unified_diff(expected.splitlines(), got.splitlines(), "python", "tikc",
                                     lineterm=""))


def main():
    tikc = os.environ.get("TIKC", os.path.join(programs.ROOT, "build", "tikc"))
    listed = [p for f in sys.argv[1:] for p in programs.of_file(f)] or \
        programs.samples() + programs.kernels()
    bad = 0
    for program in listed:
        difference = compare(tikc, program)
        if difference:
            bad += 1
            print("%s: traces differ" % programs.shown(program))
            print("\n".join(difference[:40]))
    print("%d passed, %d failed" % (len(listed) - bad, bad))
    return 1 if bad or not listed else 0


if __name__ == "__main__":
    sys.exit(main())
