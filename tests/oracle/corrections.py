#!/usr/bin/python3
"""Every number of docs/corrections.md says what holds and names tests that exist; those of OPEN, and no others, begin
with "Open."."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBERS = ['C%d' % i for i in range(1, 58) if i not in (7, 8, 9)] + ['S%d' % i for i in range(1, 8)]
OPEN = ()  # not done; a number leaves this list when its section has its tests


def faults(number, text):
    """What is missing in the section of a number."""
    if text is None:
        return ['no section']
    named = re.findall(r'`(tests/[^`\s]+)`', text)
    if number in OPEN:
        return [] if text.startswith('Open.') else ['is not open any more']
    missing = ['%s does not exist' % t for t in named if not os.path.exists(os.path.join(ROOT, t))]
    return missing + ([] if named else ['names no test']) + (['is open'] if text.startswith('Open.') else [])


def main():
    page = open(os.path.join(ROOT, 'docs/corrections.md'), encoding='utf-8').read()
    sections = dict(re.findall(r'^## ([CS]\d+): [^\n]*\n\n(.*?)(?=\n## |\Z)', page, re.M | re.S))
    bad = 0
    for n in NUMBERS:
        found = faults(n, sections.get(n))
        bad += bool(found)
        for f in found:
            print('%s: %s' % (n, f))
    print('%d passed, %d failed' % (len(NUMBERS) - bad, bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
