#!/usr/bin/python3
"""Random kernels (gen.py, rows.py) without each pass of the host back end that changes them, and without all of them: the bytes
of the emulator. TIKC_PROGRAMS sets their number (400), TIKC_SEED the first seed (500000). Fails, too, if leaving out one of the
passes in OFTEN made no other kernel. Ends with 'N passed, N failed'."""
import collections
import os
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import paths  # noqa
import differential  # noqa: E402

OFTEN = ('sink', 'merge', 'forward', 'dead', 'fuse', 'drop', 'stagger', 'all')


def counts(path):
    """{pass: kernels that were others without it} of a log of diffrun."""
    out = collections.Counter()
    with open(path, encoding='utf-8') as f:
        for line in f:
            name, n = line.split()
            out[name] += int(n)
    return out


def main():
    first, count = int(os.environ.get('TIKC_SEED', '500000')), int(os.environ.get('TIKC_PROGRAMS', '400'))
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(TIKC_DISABLE='each', TIKC_EACH_LOG=os.path.join(folder, 'log'))
        passed, bad, _ = differential.run_programs((first, first + count))
        others = counts(os.environ['TIKC_EACH_LOG'])
    bad += [f'without {name} no kernel was another' for name in OFTEN if others[name] == 0 and count >= 400]
    for text in bad[:10]:
        print(text)
    print('kernels that were others: ' + ', '.join(f'{name} {n}' for name, n in others.items()))
    print(f'{passed} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
