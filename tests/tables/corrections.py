#!/usr/bin/python3
"""Every number of docs/corrections.md says what holds and names tests that exist; those of OPEN, and no others, begin
with "Open.". Each row of the table of literal words in docs/decisions.md has a switch that its tests run with."""
import os
import re
import sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT  # noqa

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


def readings():
    """'Q5=unlimited' ... of the table of choices."""
    text = open(os.path.join(ROOT, 'runtime/isa/choice.def'), encoding='utf-8').read()
    numbers = dict(re.findall(r'^CHOICE\((\w+), "(\w+)"', text, re.M))
    return {'%s=%s' % (numbers[c], n) for c, n in re.findall(r'^READING\((\w+), \d+, \w+, "([\w-]+)"', text, re.M)}


def literal_words():
    """What is missing in the table of points whose usual reading is not the literal word: [(point, what)]."""
    text = open(os.path.join(ROOT, 'docs/decisions.md'), encoding='utf-8').read()
    rows = [[c.strip() for c in r.strip('|').split('|')]
            for r in re.findall(r'^\| [A-Z]\d+ \|.*$', text.split('not the literal word')[-1], re.M)]
    found = [('C54', 'the table has no row %s' % n) for n in ('Q5', 'Q8', 'D3', 'W1') if n not in [r[0] for r in rows]]
    for point, words, usual, why, switch, tests in rows:
        name = switch.strip('`').replace('--choice ', '')
        if name not in readings() or not name.startswith(point + '=') or not (words and usual and why):
            found.append((point, 'no reading %s' % name))
        for t in re.findall(r'`(tests/[^`]+)`', tests) or ['']:
            path = os.path.join(ROOT, t)
            if not os.path.isfile(path) or name not in open(path, encoding='utf-8').read():
                found.append((point, 'the test %s does not run with %s' % (t, name)))
    return found


def main():
    page = open(os.path.join(ROOT, 'docs/corrections.md'), encoding='utf-8').read()
    sections = dict(re.findall(r'^## ([CS]\d+): [^\n]*\n\n(.*?)(?=\n## |\Z)', page, re.M | re.S))
    bad = 0
    for n in NUMBERS:
        found = faults(n, sections.get(n))
        bad += bool(found)
        for f in found:
            print('%s: %s' % (n, f))
    for point, what in literal_words():
        bad += 1
        print('%s: %s' % (point, what))
    print('%d passed, %d failed' % (len(NUMBERS) - bad, bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
