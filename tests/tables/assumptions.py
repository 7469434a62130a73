#!/usr/bin/python3
"""Every row of docs/assumptions.md names an owner that exists, a rule or a pass, and tests that exist; each has a
place in the code, `ASSUMES name:`, and each such place a row. Ends with 'N passed, N failed'."""
import os
import re
import sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa


def text(path):
    return open(os.path.join(ROOT, path), encoding="utf-8").read()


def names(path, macro):
    return set(re.findall(macro + r'\(\w+, "([a-z-]+)"', text(path)))


def places():
    """{name: files} of the marks in the code."""
    found = {}
    for top in ("compiler", "runtime"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for file in files:
                if file.endswith((".c", ".h", ".def")):
                    path = os.path.relpath(os.path.join(folder, file), ROOT)
                    for name in re.findall(r"ASSUMES ([a-z0-9-]+):", text(path)):
                        found.setdefault(name, []).append(path)
    return found


def faults(row, rules, passes, marks):
    """What is wrong with the row: its five cells."""
    owner, tests = row[3], re.findall(r"`(tests/[^`]+)`", row[4])
    marked = marks.pop(row[0].strip("`"), None)
    found = ["no rule %s" % r for r in re.findall(r"rule `([^`]+)`", owner) if r not in rules]
    found += ["no pass %s" % p for p in re.findall(r"pass `([^`]+)`", owner) if p not in passes]
    found += ["%s does not exist" % t for t in tests if not os.path.exists(os.path.join(ROOT, t))]
    found += [] if marked else ["nowhere in the code"]
    return found + ([] if tests else ["names no test"])


def main():
    rules = names("runtime/isa/rule.def", "RULE")
    passes = names("compiler/passes/pass.def", "PASS")
    lines = [line for line in text("docs/assumptions.md").splitlines() if line.startswith("| ")][1:]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    bad, marks = 0, places()
    for row in rows:
        found = faults(row, rules, passes, marks) if len(row) == 5 else ["has %d cells" % len(row)]
        bad += bool(found)
        for f in found:
            print("%s: %s" % (row[0], f))
    for name, files in sorted(marks.items()):
        print("%s has no row: %s" % (name, ", ".join(files)))
        bad += 1
    print("%d passed, %d failed" % (max(len(rows) - bad, 0), bad))
    return bad != 0 or not rows


if __name__ == "__main__":
    sys.exit(main())
