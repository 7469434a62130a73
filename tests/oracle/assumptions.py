#!/usr/bin/python3
"""Every row of docs/assumptions.md names an owner that exists, a rule or a pass, and tests that exist. Ends with
'N passed, N failed'."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def text(path):
    return open(os.path.join(ROOT, path), encoding="utf-8").read()


def names(path, macro):
    return set(re.findall(macro + r'\(\w+, "([a-z-]+)"', text(path)))


def faults(row, rules, passes):
    """What is wrong with the row: its four cells."""
    owner, tests = row[2], re.findall(r"`(tests/[^`]+)`", row[3])
    found = ["no rule %s" % r for r in re.findall(r"rule `([^`]+)`", owner) if r not in rules]
    found += ["no pass %s" % p for p in re.findall(r"pass `([^`]+)`", owner) if p not in passes]
    found += ["%s does not exist" % t for t in tests if not os.path.exists(os.path.join(ROOT, t))]
    return found + ([] if tests else ["names no test"])


def main():
    rules = names("runtime/isa/rule.def", "RULE")
    passes = names("compiler/passes/pass.def", "PASS")
    lines = [line for line in text("docs/assumptions.md").splitlines() if line.startswith("| ")][1:]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    bad = 0
    for row in rows:
        found = faults(row, rules, passes) if len(row) == 4 else ["has %d cells" % len(row)]
        bad += bool(found)
        for f in found:
            print("%s: %s" % (row[0], f))
    print("%d passed, %d failed" % (len(rows) - bad, bad))
    return bad != 0 or not rows


if __name__ == "__main__":
    sys.exit(main())
