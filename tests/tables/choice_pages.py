#!/usr/bin/python3
"""docs/choices.md and 'tikc explain' say the same of every point of choice.def: its question, its readings, why the first
is the usual one and why there is no switch. The 27 points of the vector instructions are there, each a switch or with a
reason. Ends with 'N passed, N failed'."""
import os
import re
import subprocess
import sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import ROOT, TIKC  # noqa


def rows():
    """[(number, name, question, readings, reason)] of the page; readings: a list of (name, text), or a text."""
    for line in open(os.path.join(ROOT, 'docs/choices.md'), encoding='utf-8'):
        cells = [c.strip() for c in line.strip().strip('|').split('|')]
        if len(cells) != 5 or not re.fullmatch(r'[A-Z]+\d+', cells[0]):
            continue
        many = re.findall(r'`([\w-]+)`: (.*?)(?:<br>|$)', cells[3])
        yield cells[0], cells[1].strip('`'), cells[2], many or cells[3], cells[4]


def explained(number):
    run = subprocess.run([TIKC, 'explain', number], capture_output=True, text=True)
    return ' '.join(run.stdout.split())


def wrong(number, name, question, readings, reason):
    """None, or what the page of explain lacks."""
    text = explained(number)
    want = [f'{number} {name}: {question}', f'Why: {reason}.']
    if isinstance(readings, str):
        here, _, why = readings.partition(' No switch: ')
        if not why:
            return 'one reading, and no reason for it'
        want += [f'Here: {here}', f'No switch: {why}']
    else:
        want += [f'{number}={word}' for word, _ in readings] + [' '.join(t.split()) for _, t in readings]
    return next((f'{w!r} is not in {text!r}' for w in want if w not in text), None)


def main():
    bad, numbers = [], []
    for row in rows():
        numbers.append(row[0])
        text = wrong(*row)
        if text:
            bad.append(f'{row[0]}: {text}')
    missing = {f'U{i}' for i in range(1, 28)} - set(numbers)
    bad += [f'{m}: not in docs/choices.md' for m in sorted(missing)]
    print('\n'.join(bad))
    print(f'{len(numbers) + len(missing) - len(bad)} passed, {len(bad)} failed')
    return 1 if bad or not numbers else 0


if __name__ == '__main__':
    sys.exit(main())
