"""gdb.py TIKC ROOT FILE: runs the session that docs/debugging.md shows, in the root of the tree."""
import os
import re
import shlex
import subprocess
import sys

tikc, root, script = sys.argv[1:]
page = open(os.path.join(root, 'docs/debugging.md'), encoding='utf-8').read()
session = re.search(r'^\$ gdb --args tikc (.*?)^```', page, re.S | re.M).group(1)
command, _, rest = session.partition('\n')
with open(script, 'w') as f:
    f.write(''.join(line + '\n' for line in re.findall(r'^\(gdb\) (.*)$', rest, re.M)))
sys.exit(subprocess.run(['gdb', '-q', '-nx', '-batch', '-x', script, '--args', tikc] + shlex.split(command), cwd=root).returncode)
