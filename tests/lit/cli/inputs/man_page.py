"""man_page.py TIKC PAGE: what 'tikc --help' and 'tikc COMMAND --help' list are entries of the manual page, word by word."""
import re
import subprocess
import sys

tikc, path = sys.argv[1:]
with open(path, encoding='utf-8') as f:
    page = re.sub(r'\\f[BIR]|\\&', '', f.read()).replace('\\-', '-').replace('\\(aq', "'").replace('\\e', '\\')
entries = set()
for entry in re.split(r'^\.TP\n|^\.SH.*\n', page, flags=re.M):
    head, text, *_ = entry.split('\n') + ['']
    entries |= {f'{head} {text}', f'{head} {text.removesuffix(".")}'}


def listed(*words):
    """The lines of a list that is indented, without their columns."""
    out = subprocess.run([tikc, *words, '--help'], capture_output=True, text=True, check=True).stdout
    return [' '.join(line.split()) for line in out.split('\n') if line.startswith('  ')]


lines = [line.removeprefix('tikc ') for line in listed()]
commands = lines[:lines.index('--version print the version')]
assert len(commands) > 5
lines.remove('--version print the version')
for command in commands:
    lines += listed(command.split()[0])
missing = sorted(set(lines) - entries)
print('\n'.join(missing) or f'{len(lines)} lines found')
sys.exit(bool(missing))
