#!/usr/bin/env python3
"""Runs the programs of tests/conformance under CPython and under the compile-time evaluator and compares
what they print. usage: [BUILD=DIR] conformance.py [TEXT...]: only paths that contain one of the texts.

A program may end in an exception: then the class names and the first words of the messages are compared.
A program in differences/ is one where the evaluator intends to differ: it says why in its head comment
and holds what the evaluator prints in lines '#| text'. It fails when the evaluator prints anything else,
and also when CPython prints the same, since then it is no difference any more."""
import contextlib
import io
import os
import subprocess
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(os.path.dirname(HERE), "conformance")


def programs(wanted):
    for folder, folders, names in os.walk(ROOT):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".py") and (not wanted or any(w in path for w in wanted)):
                yield path


def under_cpython(path):
    """Output and 'Class: message' of the exception that ends the program."""
    import builtins
    out = io.StringIO()
    space = {"__name__": "__main__", "__builtins__": builtins, "__file__": path}
    try:
        with open(path, "rb") as f, contextlib.redirect_stdout(out):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(f.read(), path, "exec"), space)
    except BaseException as e:
        return out.getvalue(), "%s: %s" % (type(e).__name__, e)
    return out.getvalue(), ""


def under_stage(tool, paths):
    """The same for many programs by one process; the one that kills it is left out, and the rest run
    by themselves."""
    results = {}
    while paths:
        done = subprocess.run([tool, "--many"] + paths, stdout=subprocess.PIPE, timeout=300)
        for part in done.stdout.decode("utf-8", "replace").split("\x1e")[1:]:
            path, text = part.split("\n", 1)
            out, end, error = text.partition("\x1f")
            results[path] = (out, error) if end else (out, "stagerun died")
        if not any(path in results for path in paths):
            break
        paths = [path for path in paths if path not in results]
    return results


def first_word(error):
    """Class and first word of the message. Quotes around names are not part of the word."""
    cls, _, message = error.partition(": ")
    return cls, (message.split() or [""])[0].strip("'\"")


def expected_difference(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    return [line[3:] for line in lines if line.startswith("#| ") or line == "#|"]


def shown(result):
    out, error = result
    return out.splitlines() + (["uncaught " + error] if error else [])


def compare(path, cpython, stage):
    if os.path.basename(os.path.dirname(path)) == "differences":
        want = expected_difference(path)
        if shown(stage) != want:
            return ["the evaluator prints what was not expected:"] + shown(stage)
        return ["CPython prints the same"] if shown(cpython) == want else []
    if cpython[0] == stage[0] and first_word(cpython[1]) == first_word(stage[1]):
        return []
    a, b = shown(cpython), shown(stage)
    n = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return ["cpython: " + line for line in a[n:n + 4]] + ["stage:   " + line for line in b[n:n + 4]]


def main():
    tool = os.path.join(os.environ.get("BUILD", "build"), "tools", "stagerun")
    paths = list(programs(sys.argv[1:]))
    stage = under_stage(tool, paths)
    bad = 0
    for path in paths:
        lines = compare(path, under_cpython(path), stage.get(path, ("", "not run")))
        if lines:
            bad += 1
            print("FAIL " + os.path.relpath(path, ROOT))
            print("\n".join("    " + line for line in lines))
    print("%d passed, %d failed" % (len(paths) - bad, bad))
    return 1 if bad or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
