"""tkbread: a second reader of descriptor blobs, written from docs/blob-format.md, blob-tables.md and meaning.md alone. It shares nothing with the C sources.

usage: tkbread list BLOB                    kernels, arguments, regions and descriptors
       tkbread check BLOB...                the number of the rule that refuses each, or 'accepted', and what was not decided
       tkbread run BLOB [IN [OUT]]          executes all kernels on the arrays of IN (tests/blobs/README.md; -: none); writes OUT, or compares
                                            with it. Of descriptors that are marked checked ranges, bounds and masks are; a
                                            kernel that breaks another rule goes on here
"""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from reader import Blob, check, execute, listing, read  # noqa: E402


def command_run(path, given=None, out=None):
    results, code = [], 0
    for name, kind, what in execute(read(path), read(given) if given not in (None, '-') else b''):
        print(f'{name}: {kind}' + ('' if kind == 'outputs' else f': {what}'))
        results += what if kind == 'outputs' else []
        code = max(code, {'outputs': 0, 'fault': 5, 'not executed': 3}[kind])
    raw = b''.join(struct.pack('<Q', len(r)) + r for r in results)
    if out and os.path.exists(out):
        same = read(out) == raw
        print('equal' if same else 'different')
        return code if same else 1
    if out:
        with open(out, 'wb') as f:
            f.write(raw)
    return code


def main(args):
    if len(args) < 2 or args[0] not in ('list', 'check', 'run'):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if args[0] == 'run':
        return command_run(*args[1:4])
    code = 0
    for path in args[1:]:
        number, undecided = check(read(path))
        if args[0] == 'list' and number is None:
            print('\n'.join(listing(Blob(read(path)))))
            continue
        print(f'{path}: ' + ('accepted; not decided: ' + '; '.join(sorted(undecided)) if number is None else f'refused by {number}'))
        code = code if number is None else 4
    return code


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
