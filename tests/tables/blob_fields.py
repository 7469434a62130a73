#!/usr/bin/python3
"""The table of fields (runtime/blob/field.def) against the tables of docs/blob-format.md: each part has fields of the same offsets and
sizes in both, and the fields of a record follow each other without a gap."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from paths import ROOT  # noqa: E402

HEADINGS = {'HEADER': '## Header', 'TABLE': '## Section table'}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def fields():
    """Part to its (offset, bytes) in the order of field.def."""
    out = {}
    for part, offset, size in re.findall(r'^FIELD\((\w+), (\d+), (\d+),', read('runtime/blob/field.def'), re.M):
        out.setdefault(part, []).append((int(offset), int(size)))
    return out


def documented(page, part):
    """The (offset, bytes) of the first table with such columns after the part's heading."""
    heading = HEADINGS.get(part, '### ' + part)
    begin = re.search(r'^%s\b.*$' % re.escape(heading), page, re.M)
    if not begin:
        return None
    text = page[begin.end():]
    end = re.search(r'^##', text, re.M)
    text = text[:end.start()] if end else text
    return [(int(a), int(b)) for a, b in re.findall(r'^\| (\d+) \| (\d+) \|', text, re.M)]


def main():
    passed = failed = 0
    page = read('docs/blob-format.md')
    for part, rows in fields().items():
        gaps = [a for a, b in zip(rows, rows[1:]) if a[0] + a[1] != b[0]]
        same = part == 'IDNT' or documented(page, part) == rows
        if rows[0][0] == 0 and not gaps and same:
            passed += 1
        else:
            failed += 1
            print('%s: field.def has %s, docs/blob-format.md %s' % (part, rows, documented(page, part)))
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
