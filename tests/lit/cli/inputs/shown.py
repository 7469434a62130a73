"""shown.py TIKC ROOT PAGE: what a page shows after "$ tikc ..." is what the tool prints, run in the root of the tree. A line
"..." stands for any lines. Standard error comes after standard output."""
import os
import re
import shlex
import subprocess
import sys

tikc, root, page = sys.argv[1:]
text = open(os.path.join(root, page), encoding='utf-8').read()
bad = seen = 0
for block in re.findall(r'^```\n(\$ tikc .*?)^```', text, re.S | re.M):
    for shown in re.split(r'^\$ tikc ', block, flags=re.M)[1:]:
        command, _, want = shown.partition('\n')
        run = subprocess.run([tikc] + shlex.split(command), cwd=root, env=dict(os.environ, PYTHON=sys.executable), capture_output=True, text=True)
        got = run.stdout + run.stderr
        pattern = re.escape(want).replace(r'\.\.\.' + '\\\n', '(?:.*\n)*')
        seen += 1
        if not re.fullmatch(pattern, got):
            bad += 1
            print('%s shows after: tikc %s\n%s\nthe tool prints:\n%s' % (page, command, want, got))
sys.exit(bad > 0 or seen == 0)
