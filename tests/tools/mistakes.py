#!/usr/bin/python3
"""Mistakes that authors of kernels make (mistakes.toml), each in a kernel that is right without it, and what the
checker says. Each mistake is one finding, and has a grade:
  A  names the thing, the value, the rule and the place, and the next right value or the text that replaces the wrong one
  B  names all but the next right value, since only the author knows it
  C  leaves out the value or the thing, or the place is another one
  D  misleads, speaks of something else, or there is nothing
What a row says is checked: the text under the caret, words of the message, that 'tikc explain' knows the rule, and for
an A that the words with the next right value are there and that the kernel with them has no finding; where JSON has a
replacement, the replaced text has none. tests/lit/cli/mistakes.test compares the output with what was read and found good,
and docs/mistakes.md (make docs) shows it beside what was said before.
usage: tests/tools/mistakes.py TIKC                prints what is said of each, and what is not as the table says
       tests/tools/mistakes.py TIKC --faults N     N kernels of the samples with one fault each: how many have one error"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import tomllib

HEAD = """from te import tik
t = tik.Tik()
x = t.Tensor("float16", (1024,), name="x", scope=tik.scope_gm)
y = t.Tensor("float16", (1024,), name="y", scope=tik.scope_gm)
w = t.Tensor("int32", (64,), name="w", scope=tik.scope_gm)
a = t.Tensor("float16", (1024,), name="a", scope=tik.scope_ubuf)
b = t.Tensor("float16", (1024,), name="b", scope=tik.scope_ubuf)
c = t.Tensor("float32", (1024,), name="c", scope=tik.scope_ubuf)
n = t.Scalar("int32", name="n", init_value=3)
t.data_move(a, x, 0, 1, 64, 0, 0)
t.vec_dup(64, c, 0.0, 16, 8)
t.vec_dup(128, b, 0.0, 8, 8)
"""
TAIL = """
t.data_move(y, b, 0, 1, 64, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[x, w], outputs=[y])
"""



def table():
    """The rows of mistakes.toml, by their names."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'mistakes.toml'), 'rb') as f:
        rows = tomllib.load(f)
    return {name: {k: v.strip('\n') if isinstance(v, str) else v for k, v in row.items()} for name, row in rows.items()}


def kernel(lines):
    return HEAD + lines + TAIL


def check(tikc, paths, *options):
    """{path: [finding]} of files."""
    run = subprocess.run([tikc, 'check', '--format', 'json', '--max-errors', '0', *options, *paths], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr)
    found = {p: [] for p in paths}
    for line in run.stdout.splitlines():
        finding = json.loads(line)
        found.setdefault(finding['file'], []).append(finding)
    return found


def check_texts(tikc, texts, *options):
    """{name: [finding]} of texts."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, text in texts.items():
            paths[name] = os.path.join(folder, name + '.tik')
            with open(paths[name], 'w', encoding='utf-8') as f:
                f.write(text)
        found = check(tikc, list(paths.values()), *options)
    return {name: found[path] for name, path in paths.items()}


def say(finding):
    yield f"{finding['line']}:{finding['column']}: {finding['level']}: {finding['message']} [{finding['name']}]"
    for note in finding['notes']:
        yield f"note: {note['message']}"
    if finding['help']:
        yield f"help: {finding['help']}"


def offset(text, line, column):
    return sum(len(x) + 1 for x in text.split('\n')[:line - 1]) + column - 1


def under_caret(text, place):
    return text[offset(text, place['line'], place['column']):offset(text, place['end_line'], place['end_column'])]


def with_fixes(text, fixes):
    for fix in sorted(fixes, key=lambda f: (f['line'], f['column']), reverse=True):
        begin, end = offset(text, fix['line'], fix['column']), offset(text, fix['end_line'], fix['end_column'])
        text = text[:begin] + fix['text'] + text[end:]
    return text


def faults_of(tikc, row, found):
    """What is not as the row says."""
    if len(found) != 1:
        yield f'{len(found)} findings'
        return
    finding, text = found[0], kernel(row['lines'])
    if under_caret(text, finding) != row['at']:
        yield f'the caret is under {under_caret(text, finding)!r}, not {row["at"]!r}'
    for words in row['says']:
        if words not in finding['message']:
            yield f'the message does not say {words!r}'
    if not finding['rule']:
        yield 'there is no rule'
    if subprocess.run([tikc, 'explain', finding['name']], capture_output=True, check=False).returncode:
        yield f'explain does not know {finding["name"]}'
    if row['grade'] not in 'AB' or (row['grade'] == 'A') != ('next' in row):
        yield 'the grade is none that the row shows'
    if row.get('next', '') not in '\n'.join(say(finding)):
        yield f'the next right value is not there: {row["next"]!r}'


def mended(rows, found):
    """{name: text} of kernels that should have no finding: as the rows have them, and with the replacements of JSON."""
    texts = {name: kernel(row['right']) for name, row in rows.items() if 'right' in row}
    for name, row in rows.items():
        if len(found[name]) == 1 and found[name][0]['fixes']:
            texts[name + ' replaced'] = with_fixes(kernel(row['lines']), found[name][0]['fixes'])
    return texts


def remaining(tikc, rows, found):
    """(name, text) of what the checker says to mended kernels."""
    groups = [((), mended(rows, found))]
    groups += [(('--soc', row['soc']), {name: kernel(row['lines'])}) for name, row in rows.items() if 'soc' in row]
    for options, texts in groups:
        for name, findings in check_texts(tikc, texts, *options).items():
            for finding in findings:
                yield name, 'mended, there is still: ' + next(say(finding))


def mistakes(tikc):
    rows = table()
    found = check_texts(tikc, {name: kernel(row['lines']) for name, row in rows.items()})
    bad = 0
    for name, row in rows.items():
        print('==', name, row['grade'])
        print('    ' + row['lines'].replace('\n', '\n    '))
        for finding in found[name]:
            print('\n'.join(say(finding)))
        for fault in faults_of(tikc, row, found[name]):
            print('FAULT:', fault)
            bad += 1
    for name, text in remaining(tikc, rows, found):
        print('FAULT:', name + ':', text)
        bad += 1
    grades = ', '.join(f'{sum(r["grade"] == g for r in rows.values())} {g}' for g in 'AB')
    print(len(rows), 'mistakes:', grades + ';', sum(len(f) == 1 for f in found.values()), 'with one finding;', bad, 'not as the table says')


# ---- one fault each ------------------------------------------------------------------------------------

def call(rng, text, names):
    """A random call of one of some methods: its match, or None."""
    found = list(re.finditer(r'\.(' + names + r')\(([^()\n]*)\)', text))
    return rng.choice(found) if found else None


def replaced(text, match, group, by):
    return text[:match.start(group)] + by + text[match.end(group):]


def misspell(rng, text):
    m = call(rng, text, r'vec_\w+|data_move|for_range|Tensor')
    word = m and m.group(1)
    return m and replaced(text, m, 1, word[:-2] + word[-1] + word[-2] + 'x')


def drop_argument(rng, text):
    m = call(rng, text, r'vec_\w+|data_move')
    return m and replaced(text, m, 2, ', '.join(m.group(2).split(', ')[:-1]))


def unknown_name(rng, text):
    m = call(rng, text, r'vec_\w+|data_move')
    parts = m.group(2).split(', ') if m else []
    parts[1:2] = ['no_such_tensor']
    return m and replaced(text, m, 2, ', '.join(parts))


def too_many_repeats(rng, text):
    m = call(rng, text, r'vec_(?:add|mul|sub|muls|adds|exp|dup)')
    parts = m.group(2).split(', ') if m else []
    numbers = [i for i, p in enumerate(parts) if p.isdigit() and i > 2]
    if not numbers:
        return None
    parts[numbers[0]] = '100000'
    return replaced(text, m, 2, ', '.join(parts))


def negative_burst(rng, text):
    m = call(rng, text, 'data_move')
    parts = m.group(2).split(', ') if m else []
    if len(parts) < 5:
        return None
    parts[4] = '-1'
    return replaced(text, m, 2, ', '.join(parts))


def open_bracket(rng, text):
    m = call(rng, text, r'vec_\w+|data_move')
    return m and text[:m.end() - 1] + text[m.end():]


def unknown_dtype(rng, text):
    found = list(re.finditer(r'Tensor\("(\w+)"', text))
    return replaced(text, rng.choice(found), 1, 'float17') if found else None


def unknown_scope(rng, text):
    found = list(re.finditer(r'tik\.(scope_\w+)', text))
    return replaced(text, rng.choice(found), 1, 'scope_nowhere') if found else None


def float_mask(rng, text):
    m = call(rng, text, r'vec_(?:add|mul|sub|muls|adds|exp|dup)')
    parts = m.group(2).split(', ') if m else []
    parts[:1] = ['1.5']
    return m and replaced(text, m, 2, ', '.join(parts))


def no_import(_, text):
    return re.sub(r'^from \w+ import tik$', '', text, flags=re.M)


FAULTS = [misspell, drop_argument, unknown_name, too_many_repeats, negative_burst, open_bracket, unknown_dtype,
          unknown_scope, float_mask, no_import]


def faults(tikc, n):
    """Prints for each kind how many of n kernels have exactly one error. A change that is no fault is made again."""
    rng = random.Random(1)
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../samples')
    sources = [os.path.join(root, f) for f in sorted(os.listdir(root)) if f.endswith('.tik')]
    counts = {kind.__name__: [0, 0] for kind in FAULTS}
    several = []
    with tempfile.TemporaryDirectory() as folder:
        while sum(c[1] for c in counts.values()) < n:
            kinds = {}
            for i in range(n // 2):
                kind = rng.choice(FAULTS)
                with open(rng.choice(sources), encoding='utf-8') as f:
                    text = f.read()
                changed = kind(rng, text)
                if changed and changed != text:
                    path = os.path.join(folder, f'k{i}.tik')
                    kinds[path] = kind.__name__
                    with open(path, 'w', encoding='utf-8') as f:
                        f.write(changed)
            for path, found in check(tikc, sorted(kinds)).items():
                errors = [f for f in found if f['level'] == 'error']
                if errors and sum(c[1] for c in counts.values()) < n:
                    counts[kinds[path]][0] += len(errors) == 1
                    counts[kinds[path]][1] += 1
                    if len(errors) > 1:
                        several.append((kinds[path], [f"{e['line']}: {e['message']}" for e in errors]))
    for kind, messages in several[:20]:
        print(kind, *messages, sep='\n  ')
    for kind, (one, all_) in sorted(counts.items()):
        print(f'{kind}: {one} of {all_}')
    one = sum(c[0] for c in counts.values())
    print(f'{one} of {n} kernels with one fault have one error')
    return one >= 0.95 * n


def main():
    tikc = sys.argv[1]
    if len(sys.argv) > 3 and sys.argv[2] == '--faults':
        sys.exit(not faults(tikc, int(sys.argv[3])))
    mistakes(tikc)


if __name__ == '__main__':
    main()
