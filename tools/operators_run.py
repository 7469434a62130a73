"""Runs operators that compile, on generated arrays, on both back ends; part of tools/operators.py (--run).

The facts of the kernel (tikc build --facts) say what its arrays are. Inputs are random numbers that the operators of a
package have sense for: fractions around 0 for floats, small numbers for integers, which are often counts and
indices. An array whose size the kernel does not tell gets UNKNOWN elements. Outcomes:

  ran     both back ends give the same bytes
  fault   both stop, with the same rule; the first line of the host's message follows
  differs other bytes, or only one of the two stops, or with another rule: an error of ours
  slow    a run was stopped after --run-timeout seconds
  built   the build failed although the check did not: an error of ours
"""
import json
import os
import re
import subprocess
import zlib

UNKNOWN = 1 << 16
LARGEST = 1 << 31  # what the facts say of a size that is not known
OURS = ('differs', 'built')


def random_array(np, rng, dtype, shape):
    if dtype == 'bfloat16':
        return (rng.uniform(-2, 2, shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if dtype.startswith('float'):
        return rng.uniform(-2, 2, shape).astype(dtype)
    if dtype == 'bool':
        return rng.integers(0, 2, shape).astype(np.uint8)
    low = -8 if dtype in ('int8', 'int16') else 0
    return rng.integers(low, 9, shape).astype(dtype)


def is_unknown(argument):
    return not argument['shape'] or any(int(n) < 0 for n in argument['shape']) or argument['bytes'] >= LARGEST


def shape_of(argument):
    return [UNKNOWN] if is_unknown(argument) else [int(n) for n in argument['shape']]


def options(row):
    return [x for name in ('soc', 'mode', 'call') if row.get(name) for x in ('--' + name, row[name])]


def build(tikc, row, source, folder, timeout):
    """The facts of the kernel, or None."""
    cmd = [tikc, 'build'] + options(row) + ['-o', os.path.join(folder, 'k.tkb'), '--facts', folder, source]
    p = subprocess.run(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=timeout)
    names = sorted(n for n in os.listdir(folder) if n.endswith('.json'))
    if p.returncode != 0 or not names:
        return None
    with open(os.path.join(folder, names[0]), encoding='utf-8') as f:
        return json.load(f)


def make_inputs(np, facts, row, folder):
    rng = np.random.default_rng(zlib.crc32(row['path'].encode()))
    given, outputs = [], []
    for a in facts['arguments']:
        if a['kind'] == 'output':   # with its shape where the kernel leaves it to the run; it may preset its contents
            outputs.append((a['name'], ':' + 'x'.join(map(str, shape_of(a))) if is_unknown(a) else ''))
        if a['kind'] not in ('output', 'workspace'):
            path = os.path.join(folder, a['name'] + '.npy')
            np.save(path, random_array(np, rng, a['dtype'], shape_of(a)))
            given += ['--in', a['name'] + '=' + path]
    return given, outputs


def run_once(tikc, row, source, backend, given, outputs, folder, timeout):
    """Exit code, text of the first fault, bytes of the outputs."""
    files = [(name, shape, os.path.join(folder, '%s.%s.npy' % (name, backend))) for name, shape in outputs]
    cmd = [tikc, 'run', '--backend', backend] + options(row) + given + [source]
    for name, shape, path in files:
        cmd += ['--out', '%s=%s%s' % (name, path, shape)]
    p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, errors='replace')
    errors = [line for line in p.stdout.splitlines() if re.search(r'\b(error|fault): ', line)]
    if p.returncode != 0:
        return p.returncode, errors[0] if errors else p.stdout.strip()[-200:], None
    return 0, '', [open(path, 'rb').read() for _, _, path in files]


def rule_of(text):
    names = re.findall(r'\[([a-z0-9-]+)\]', text)
    return names[-1] if names else text


def run_operator(np, tikc, row, source, folder, timeout):
    """Outcome and a line about it."""
    try:
        facts = build(tikc, row, source, folder, timeout)
        if facts is None:
            return 'built', 'the kernel checks and does not build'
        given, outputs = make_inputs(np, facts, row, folder)
        host, emu = [run_once(tikc, row, source, b, given, outputs, folder, timeout) for b in ('host', 'emu')]
    except subprocess.TimeoutExpired:
        return 'slow', 'stopped after %d seconds' % timeout
    if host[0] == emu[0] == 0:
        same = host[2] == emu[2]
        return ('ran', '') if same else ('differs', 'the outputs have other bytes')
    if host[0] == emu[0] and rule_of(host[1]) == rule_of(emu[1]):
        return 'fault', host[1]
    return 'differs', 'host: %d %s; emulator: %d %s' % (host[0], host[1], emu[0], emu[1])
