"""readme.py TIKC README FOLDER: the README's first kernel, its commands and its example error, literally."""
import os
import re
import subprocess
import sys

import numpy as np

tikc, readme, folder = sys.argv[1:]
text = open(readme).read()
kernel = re.search(r'```python\n(# double.tik\n.*?)```', text, re.S).group(1)
commands = re.search(r'```\n(build/tikc check double.tik\n.*?)```', text, re.S).group(1)
error = re.search(r'```\n(double.tik:.*?)```', text, re.S).group(1)
x = np.arange(128).astype(np.float16)
np.save(os.path.join(folder, 'x.npy'), x)
with open(os.path.join(folder, 'double.tik'), 'w') as f:
    f.write(kernel)
for command in commands.splitlines():
    args = command.split('#')[0].split()
    assert args[0] == 'build/tikc', command
    subprocess.run([tikc] + args[1:], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    if '--out' in args:
        path = os.path.join(folder, 'y.npy')
        assert (np.load(path) == x + x).all(), command
        os.remove(path)
for name, content in re.findall(r'```python\n# (rows.tik|src/ops.py)\n(.*?)```', text, re.S):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write(content)
for package in re.findall(r'^build/tikc (run rows.tik .*?) *#', text, re.M):
    subprocess.run([tikc] + package.split(), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    assert (np.load(os.path.join(folder, 'out.npy')) == 1.5).all(), package
for word in re.findall(r'^\| `tikc ([a-z]+)', text, re.M):
    subprocess.run([tikc, word, '--help'], check=True, stdout=subprocess.DEVNULL)
line, source = re.search(r'^ +(\d+) \| (.*)$', error, re.M).groups()
lines = kernel.splitlines()
lines[int(line) - 1] = source
with open(os.path.join(folder, 'double.tik'), 'w') as f:
    f.write('\n'.join(lines) + '\n')
r = subprocess.run([tikc, 'check', 'double.tik'], cwd=folder, capture_output=True, text=True)
if r.returncode != 1 or r.stderr != error:
    sys.exit('the README says:\n%sthe tool says:\n%s' % (error, r.stderr))
