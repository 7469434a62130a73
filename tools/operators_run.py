"""Runs operators that compile, on generated arrays, on both back ends; part of tools/operators.py (--run).

The facts of the kernel (tikc build --facts) say what its arrays are; tools/operators_inputs.py makes them, by a table of
conventions where an operator has some. Outcomes:

  ran     both back ends give the same bytes, inputs that they write included, and where the table of conventions says what an output is, it is that
  own     both stop with the rule of the fault that the table of conventions calls the operator's own
  fault   both stop, with the same rule; the first line of the host's message follows
  differs other bytes, or only one of the two stops, or with another rule: an error of ours
  wrong   an output is not what the table of conventions says: an error of ours or of the table
  slow    a run was stopped after --run-timeout seconds
  built   the build failed although the check did not: an error of ours
  table   the table of conventions is wrong: an array that is not there, an expression that fails, an own fault that is gone
"""
import json
import os
import re
import subprocess

from operators_inputs import conventions_of, expected_wrongs, make_array, output_shape, own_fault, replaced_call

OURS = ('differs', 'built', 'table', 'wrong')


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


def input_file(folder, name):
    return os.path.join(folder, name + '.npy')


def output_file(folder, name, backend):
    return os.path.join(folder, '%s.%s.npy' % (name, backend))


def make_inputs(np, facts, row, conventions, folder):
    given, outputs = {}, []
    left = set(conventions) - {'call', 'own'}
    for a in facts['arguments']:
        value = conventions.get(a['name'])
        left -= {a['name'], '=' + a['name']}
        if a['kind'] == 'output':
            outputs.append((a['name'], output_shape(a, value)))
        elif a['kind'] != 'workspace':
            given[a['name']] = make_array(np, row['path'], a, value)
            np.save(input_file(folder, a['name']), given[a['name']])
            outputs.append((a['name'], ''))     # operators that update in place write their inputs
    if left:
        raise ValueError('no array is named %s' % ', '.join(sorted(left)))
    return given, outputs


def run_once(tikc, row, source, backend, given, outputs, folder, timeout):
    """Exit code, text of the first fault, bytes of the outputs."""
    files = [(name, shape, output_file(folder, name, backend)) for name, shape in outputs]
    cmd = [tikc, 'run', '--backend', backend] + options(row) + [source]
    for name in given:
        cmd += ['--in', '%s=%s' % (name, input_file(folder, name))]
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


def verdict(host, emu, own):
    """Outcome and a line about it, of the two runs."""
    if host[0] != emu[0] or (host[0] and rule_of(host[1]) != rule_of(emu[1])):
        return 'differs', 'host: %d %s; emulator: %d %s' % (host[0], host[1], emu[0], emu[1])
    if host[2] != emu[2]:
        return 'differs', 'the outputs have other bytes'
    rule, reason = own_fault(own) if own else ('', '')
    if host[0] and rule == rule_of(host[1]):
        return 'own', '%s [%s]' % (reason, rule)
    if host[0]:
        return 'fault', host[1]
    return ('table', 'no fault, where the conventions have %s' % rule) if own else ('ran', '')


def run_operator(np, tikc, row, source, conventions, folder, timeout):
    """Outcome and a line about it."""
    row, conventions = dict(row), conventions_of(conventions, row['path'])
    try:
        if 'call' in conventions:
            row['call'] = replaced_call(row['call'], conventions['call'])
        facts = build(tikc, row, source, folder, timeout)
        if facts is None:
            return 'built', 'the kernel checks and does not build'
        given, outputs = make_inputs(np, facts, row, conventions, folder)
        host, emu = [run_once(tikc, row, source, b, given, outputs, folder, timeout) for b in ('host', 'emu')]
        what, text = verdict(host, emu, conventions.get('own'))
        if what == 'ran':
            got = {name: np.load(output_file(folder, name, 'host')) for name, _ in outputs}
            text = expected_wrongs(np, conventions, given, got)
        return 'wrong' if what == 'ran' and text else what, text
    except subprocess.TimeoutExpired:
        return 'slow', 'stopped after %d seconds' % timeout
    except Exception as e:      # expressions are any Python
        return 'table', '%s: %s' % (type(e).__name__, e)
