#!/usr/bin/python3
"""Random programs that order their queues themselves, against a model of the queues.

The model unrolls a program and builds the graph of what must happen before what: an instruction begins after the one
before it in its queue, a set_flag ends after all of them, what follows a wait_flag after the set_flag, and so on.
Two accesses race when no path leads from the end of the first to the beginning of the second. tikc check must report the
same statements and queues: sync-deadlock, sync-double-set, sync-leftover; if there are no errors race, waw-no-barrier, sync-overrun.
Loops of more than 24 iterations are not executed whole by tikc: there it may miss something, but not invent it.
Each flag of samples/flags_in_turn.tik is missed when it is left out. The same programs with ids that only the run knows must end on both back ends with the rule of their first error.

  TIKC_SEED, TIKC_VECTORS  seed and number of programs (default 1, 100)
Ends with 'N passed, N failed'."""
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import TIKC  # noqa

HERE = os.path.dirname(os.path.abspath(__file__))
PIPES = ['S', 'V', 'MTE2', 'MTE3']
BLOCKS = 16  # of the tensor in UB, 8 elements each
FEW = 24     # iterations that tikc executes one by one

HEAD = '''from tbe import tik

t = tik.Tik()
x = t.Tensor("int32", (4096,), name="x", scope=tik.scope_gm)
y = t.Tensor("int32", (4096,), name="y", scope=tik.scope_gm)
ids = t.Tensor("int32", (8,), name="ids", scope=tik.scope_gm)
ub = t.Tensor("int32", (128,), name="ub", scope=tik.scope_ubuf)
s = t.Scalar("int32")
n = [t.Scalar("int32") for _ in range(8)]
t.data_move(ub, ids, 0, 1, 1, 0, 0)
for k in range(8):
    n[k].set_as(ub[k])
with t.new_stmt_scope(disable_sync=True):
'''.split('\n')[:-1]
TAIL = ['t.BuildCCE("k", [x, ids], [y])']


class Generator:
    """A program as lines, and as nodes: ('act', line, function of variables) and so on."""

    def __init__(self, rng, known):
        self.rng, self.known, self.lines, self.depth, self.large = rng, known, list(HEAD), 1, False

    def put(self, text):
        self.lines.append('    ' * self.depth + text)
        return len(self.lines)

    def place(self, room, loops):
        """A number of blocks, perhaps in turn with a loop: text and function."""
        base, turn = self.rng.randrange(room), self.rng.choice([1, 2, 2, 3])
        step = (room - base - 1) // (turn - 1) if turn > 1 else 0
        if not loops or not step or self.rng.random() < 0.4:
            return str(base), lambda v: base
        i, by = self.rng.choice(loops), self.rng.randrange(1, step + 1)
        return f'({base} + i{i} % {turn} * {by})', lambda v: base + v[i] % turn * by

    def act(self, loops):
        r, k = self.rng, self.rng.randrange(1, 4)
        kind = r.choice(['in', 'in', 'vec', 'vec', 'vec', 'out', 'out', 'store', 'load', 'rows'])
        at, f = self.place(BLOCKS - 3, loops)
        if kind == 'rows':  # two bursts of a block, one block between them
            line = self.put(f't.data_move(ub[{at} * 8], x, 0, 2, 1, 0, 1)')
            return line, 'MTE2', lambda v: [], lambda v: [f(v), f(v) + 2]
        if kind == 'in':
            line = self.put(f't.data_move(ub[{at} * 8], x, 0, 1, {k}, 0, 0)')
            return line, 'MTE2', lambda v: [], lambda v: span(f(v), k)
        if kind == 'out':
            to, g = self.place(40, loops)
            line = self.put(f't.data_move(y[{to} * 8], ub[{at} * 8], 0, 1, {k}, 0, 0)')
            return line, 'MTE3', lambda v: span(f(v), k), lambda v: [1000 + b for b in span(g(v), k)]
        if kind == 'store':
            line = self.put(f'ub[{at} * 8 + 3].set_as(7)')
            return line, 'S', lambda v: [], lambda v: [f(v)]
        if kind == 'load':
            line = self.put(f's.set_as(ub[{at} * 8 + 3])')
            return line, 'S', lambda v: [f(v)], lambda v: []
        to, g = at, f
        if r.random() < 0.5:  # from the lower half to the upper one
            at, f = self.place(5, loops)
            to, g0 = self.place(5, loops)
            to, g = f'({to} + 8)', lambda v: g0(v) + 8
        line = self.put(f't.vec_adds({8 * k}, ub[{to} * 8], ub[{at} * 8], 1, 1, 8, 8)')
        return line, 'V', lambda v: span(f(v), k), lambda v: span(g(v), k)

    def flag(self, word, pair, event):
        text, f = event
        line = self.put(f't.{word}_flag("PIPE_{pair[0]}", "PIPE_{pair[1]}", {text})')
        return word, line, pair, f

    def event(self, loops):
        e, i = self.rng.randrange(3), self.rng.choice(loops) if loops else None
        known = self.known
        if i is not None and self.rng.random() < 0.5 and known:
            m = self.rng.randrange(1, 4)
            return f'i{i} % {m}', lambda v: v[i] % m
        return (str(e) if known else f'n[{e}]'), lambda v: e

    def body(self, size, loops, flags=True):
        r, out, owed = self.rng, [], []
        for _ in range(size):
            p = r.random()
            if p < 0.45 or not flags:
                out.append(('act', *self.act(loops)))
            elif p < 0.7:  # a set and its wait, perhaps with something between
                pair, event = r.sample(PIPES, 2), self.event(loops)
                out.append(self.flag('set', pair, event))
                if r.random() < 0.4:
                    out.append(('act', *self.act(loops)))
                if r.random() < 0.97:
                    out.append(self.flag('wait', pair, event))
                if r.random() < 0.4:  # and back
                    out.append(self.flag('set', pair[::-1], event))
                    out.append(self.flag('wait', pair[::-1], event))
            elif p < 0.74 and self.depth == 1:
                pair, event = r.sample(PIPES, 2), self.event([])
                out.append(self.flag('set', pair, event))
                owed.append((pair, event))
            elif p < 0.75:
                out.append(self.flag('wait', r.sample(PIPES, 2), self.event(loops)))
            elif p < 0.83:
                pipe = r.choice(PIPES + ['ALL', 'ALL'])
                out.append(('bar', self.put(f't.pipe_barrier("PIPE_{pipe}")'), pipe))
            elif p < 0.93 and self.depth < 3:
                out.append(self.loop(loops))
            elif self.depth < 4:
                out.append(self.branch(loops))
        for pair, event in owed:
            out.append(self.flag('wait', pair, event))
        return out

    def loop(self, loops):
        n = self.rng.choice([1, 2, 3, 4, 5, 7])
        if not loops and self.rng.random() < 0.2:
            n = self.rng.randrange(25, 60)
            self.large = True
        i = len(self.lines)
        self.put(f'with t.for_range(0, {n}) as i{i}:')
        self.depth += 1
        body = self.body(self.rng.randrange(2, 6), loops + [i]) or [('act', *self.act(loops + [i]))]
        self.depth -= 1
        return 'for', n, i, body

    def branch(self, loops):
        self.put('with t.if_scope(s > 3):')
        self.depth += 1
        yes = self.body(self.rng.randrange(1, 3), loops, False)
        self.depth -= 1
        self.put('with t.else_scope():')
        self.depth += 1
        no = self.body(self.rng.randrange(1, 3), loops, False)
        self.depth -= 1
        return 'if', yes, no


def span(first, n):
    return list(range(first, first + n))


def unroll(nodes, v, outcome, out):
    for node in nodes:
        if node[0] == 'for':
            for k in range(node[1]):
                unroll(node[3], {**v, node[2]: k}, outcome, out)
        elif node[0] == 'if':
            unroll(node[1] if outcome else node[2], v, outcome, out)
        elif node[0] == 'act':
            out.append(('act', node[1], node[2], node[3](v), node[4](v)))
        elif node[0] == 'bar':
            out.append(node)
        else:
            out.append((node[0], node[1], tuple(node[2]), node[3](v)))
    return out


def judge_flags(trace):
    """Errors as (line, rule) in their order, and lines of sets that are left."""
    up, errors = {}, []
    for e in trace:
        if e[0] in ('set', 'wait'):
            key = e[2:]
            if (key in up) == (e[0] == 'set'):
                errors.append((e[1], 'sync-double-set' if e[0] == 'set' else 'sync-deadlock'))
            if e[0] == 'set':
                up[key] = e[1]
            else:
                up.pop(key, None)
    return errors, {(line, 'sync-leftover') for line in up.values()}


class Graph:
    """Reach: for each node the bits of all nodes before it. Nodes 2 k and 2 k + 1 are begin and end of event k."""

    def __init__(self, trace):
        self.before = []
        last_begin, ends, gates = {}, {}, {}  # by queue
        set_of, waits, self.waited = {}, 0, {}
        every = 0  # what everything later waits for
        for k, e in enumerate(trace):
            pipes = PIPES if e[0] == 'bar' and e[2] == 'ALL' else [
                {'act': lambda: e[2], 'set': lambda: e[2][0], 'wait': lambda: e[2][1], 'bar': lambda: e[2]}[e[0]]()]
            bits = every
            for p in pipes:
                bits |= last_begin.get(p, 0) | gates.get(p, 0)
                if e[0] == 'bar' and not (p == 'S' and len(pipes) == 1):
                    bits |= ends.get(p, 0)
            if e[0] == 'wait':
                bits |= set_of[e[2:]]
            begin = bits | 1 << 2 * k
            end = begin | 1 << 2 * k + 1
            if e[0] == 'set':  # takes effect when all before it have ended, and holds nothing up
                end |= ends.get(pipes[0], 0)
            self.before += [begin, end]
            for p in pipes:
                last_begin[p] = begin
                ends[p] = ends.get(p, 0) | end
                if e[0] == 'wait' or e[0] == 'bar' and not (p == 'S' and len(pipes) == 1):
                    gates[p] = gates.get(p, 0) | end
            if e[0] == 'set':
                set_of[e[2:]] = end
            if e[0] == 'wait' and pipes == ['S'] or e[0] == 'act' and e[2] == 'S' and not e[4]:
                every |= end
            if e[0] == 'bar' and len(pipes) > 1:
                every |= end

    def ended(self, a, b):
        return self.before[2 * b] >> 2 * a + 1 & 1


def judge_order(trace):
    g, found, last_wait = Graph(trace), set(), {}
    for b, e in enumerate(trace):
        if e[0] == 'wait':
            last_wait[e[2:]] = b
        if e[0] == 'set':
            a = last_wait.get(e[2:])
            if a is not None and not g.ended(a, b):
                found.add((e[1], 'sync-overrun', ''))
        if e[0] != 'act':
            continue
        for a in range(b):
            d = trace[a]
            if d[0] != 'act' or g.ended(a, b):
                continue
            reads, writes = set(e[3]), set(e[4])
            if d[2] == e[2]:
                if d[2] in ('MTE2', 'MTE3') and writes & set(d[4]):
                    found.add((e[1], 'waw-no-barrier', ''))
            elif writes & (set(d[3]) | set(d[4])) or reads & set(d[4]):
                found.add((e[1], 'race', d[2]))
    return found


def told(path):
    out = subprocess.run([TIKC, 'check', path], capture_output=True, text=True, timeout=100)
    found = set()
    for line, text, rule in re.findall(r':(\d+):\d+: (?:error|warning): (.*) \[([a-z-]+)\]$', out.stdout + out.stderr, re.M):
        pipe = re.findall(r'while PIPE_(\w+) may still', text)
        if rule not in ('uninit', 'output-unwritten'):
            found.add((int(line), rule, pipe[0] if rule == 'race' else ''))
    return found


def expected(nodes):
    """What tikc check has to tell."""
    traces = [unroll(nodes, {}, outcome, []) for outcome in (True, False)]
    errors, left = judge_flags(traces[0])  # flags are not in branches
    found = {(line, rule, '') for line, rule in list(errors) + list(left)}
    for trace in traces if not errors else []:
        found |= judge_order(trace)
    return found, errors


def check_program(rng, path):
    g = Generator(rng, True)
    nodes = g.body(rng.randrange(6, 22), [])
    open(path, 'w').write('\n'.join(g.lines + TAIL) + '\n')
    want, _ = expected(nodes)
    got = told(path)
    lines = {x[:2] for x in got}
    missed = {x for x in want if x[:2] not in lines}  # of several races of one operand one is told
    bad = got - want if g.large else (got - want) | missed
    return len(want), len(missed), [f'{"invented" if x in got else "missed"} {x}' for x in sorted(bad)]


def run_program(rng, path, folder):
    g = Generator(rng, False)
    nodes = g.body(rng.randrange(6, 22), [])
    open(path, 'w').write('\n'.join(g.lines + TAIL) + '\n')
    _, errors = expected(nodes)
    want = errors[0][1] if errors else ''
    np.save(os.path.join(folder, 'ids.npy'), np.arange(8, dtype=np.int32))
    np.save(os.path.join(folder, 'x.npy'), np.zeros(4096, np.int32))
    bad = []
    for backend in ('host', 'emu'):
        out = subprocess.run([TIKC, 'run', path, '--backend', backend, '-O', '0', '--in', 'x=' + os.path.join(folder, 'x.npy'), '--in',
                              'ids=' + os.path.join(folder, 'ids.npy')], capture_output=True, text=True, timeout=100)
        rule = re.findall(r'error: .* \[([a-z-]+)\]$', out.stderr, re.M)
        if (rule[0] if rule else '') != want:
            bad.append(f'{backend}: {rule}, expected {want!r}: {out.stderr[-300:]}')
        line = re.findall(r':(\d+):\d+: error', out.stderr)
        if want and line and int(line[0]) != errors[0][0]:
            bad.append(f'{backend}: line {line[0]}, expected {errors[0][0]}')
    return bool(want), bad


def left_out(path):
    """The sample is clean, and each of its flags is needed."""
    lines = open(os.path.join(HERE, '../../samples/flags_in_turn.tik')).read().split('\n')
    flags = [i for i, text in enumerate(lines) if re.search('t.(set|wait)_flag', text)]
    bad = []
    for i in [None] + flags:
        less = [re.sub(r't\..*', 'pass', text) if k == i else text for k, text in enumerate(lines)]
        open(path, 'w').write('\n'.join(less))
        if bool(told(path)) == (i is None):
            bad.append('the sample has findings' if i is None else f'line {i + 1} of the sample is not missed')
    return bad if len(flags) == 12 else bad + [f'{len(flags)} flags in the sample']


def main():
    seed, count = int(os.environ.get('TIKC_SEED', '1')), int(os.environ.get('TIKC_VECTORS', '100'))
    passed = failed = findings = missed = faults = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'p.tik')
        for text in left_out(path):
            print(text)
            failed += 1
        for k in range(count):
            rng = random.Random(seed * 1000003 + k)
            found, lost, bad = check_program(rng, path)
            findings, missed = findings + found, missed + lost
            text = open(path).read()
            if k % 5 == 0 and not bad:
                fault, bad = run_program(rng, path, folder)
                faults += fault
                text = open(path).read()
            passed, failed = passed + (not bad), failed + bool(bad)
            if bad:
                print(f'seed {seed}, program {k}:', *bad[:5], sep='\n  ')
                if os.environ.get('TIKC_KEEP'):
                    open(os.path.join(os.environ['TIKC_KEEP'], f'sync-{k}.tik'), 'w').write(text)
    if count >= 100 and (findings < count or faults < count // 50):
        print(f'{findings} findings and {faults} faults are too few to test anything')
        failed += 1
    print(f'{findings} findings, {missed} of long loops not found, {faults} faults')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
