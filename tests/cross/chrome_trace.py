#!/usr/bin/python3
"""'profile --trace' against the rules of Chrome's trace event format, which Perfetto reads too: each event has what its phase demands,
events of a thread are apart (in floating point, as viewers add), each process and thread has one name, flow events are pairs whose ends
are in events, and what the file counts is what 'profile --format json' says."""
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from paths import ROOT, TIKC  # noqa: E402

WANTED = {'X': {'name', 'ph', 'cat', 'pid', 'tid', 'ts', 'dur', 'args'}, 'M': {'name', 'ph', 'pid', 'tid', 'args'},
          's': {'name', 'ph', 'cat', 'pid', 'tid', 'ts', 'id'}, 'f': {'name', 'ph', 'cat', 'pid', 'tid', 'ts', 'id', 'bp'}}
ARGUMENTS = {'descriptor': int, 'file': str, 'line': int, 'begin': int, 'clocks': int, 'bytes': int, 'waited': int, 'waited for': str}


def check_event(e):
    assert set(e) == WANTED[e['ph']], e
    assert isinstance(e['name'], str) and e['name'], e
    assert type(e['pid']) is int and type(e['tid']) is int and e['pid'] > 0 and e['tid'] > 0, e
    assert e['ph'] == 'M' or (isinstance(e['ts'], float) and e['ts'] >= 0), e
    if e['ph'] == 'X':
        assert e['cat'] in ('instruction', 'wait') and isinstance(e['dur'], float) and e['dur'] >= 0, e
        assert all(type(v) is ARGUMENTS[k] for k, v in e['args'].items()) and {'descriptor', 'begin', 'clocks'} <= set(e['args']), e
    elif e['ph'] == 'f':
        assert e['bp'] == 'e', e


def check_names(events):
    """One name for each process and thread, and a thread for each event."""
    names = collections.defaultdict(list)
    for e in events:
        if e['ph'] == 'M':
            assert e['name'] in ('process_name', 'thread_name') and isinstance(e['args']['name'], str) and len(e['args']) == 1, e
            names[e['name'], e['pid'], e['tid'] if e['name'] == 'thread_name' else 0].append(e['args']['name'])
    assert all(len(n) == 1 for n in names.values()), names
    for e in events:
        assert ('process_name', e['pid'], 0) in names and ('thread_name', e['pid'], e['tid']) in names, e


def check_threads(events):
    threads = collections.defaultdict(list)
    for e in events:
        if e['ph'] == 'X':
            threads[e['pid'], e['tid']].append(e)
    for thread in threads.values():
        assert [e['ts'] for e in thread] == sorted(e['ts'] for e in thread)
        for a, b in zip(thread, thread[1:]):
            assert a['ts'] + a['dur'] <= b['ts'], (a, b)
    return {key: {e['ts'] for e in thread} for key, thread in threads.items()}


def check_flows(events, begins):
    flows = collections.defaultdict(list)
    for e in events:
        if e['ph'] in 'sf':
            flows[e['id']].append(e)
            assert e['ts'] in begins[e['pid'], e['tid']], e
    for pair in flows.values():
        assert [e['ph'] for e in pair] == ['s', 'f'], pair
        s, f = pair
        assert (s['name'], s['cat'], s['pid']) == (f['name'], f['cat'], f['pid']) and s['ts'] <= f['ts'] and s['tid'] != f['tid'], pair
    return len(flows)


def check_totals(events, got):
    instructions = collections.Counter(e['tid'] for e in events if e['ph'] == 'X' and e['cat'] == 'instruction')
    waited = collections.Counter()
    for e in events:
        if e['ph'] == 'X':
            waited[e['tid'], e['args'].get('waited for')] += e['args'].get('waited', 0)
    moved = sum(e['args'].get('bytes', 0) for e in events if e['ph'] == 'X')
    for i, (name, queue) in enumerate(got['queues'].items(), 1):
        assert i == 1 or instructions[i] == queue['instructions'], name
        assert {by: n for (tid, by), n in waited.items() if tid == i and n} == queue['waits'], name
    assert moved == sum(m['bytes'] for m in got['moved'])


def trace_of(source, path, *args):
    p = subprocess.run([TIKC, 'profile', source, '--trace', path, '--format', 'json', *args], capture_output=True, text=True, cwd=ROOT)
    assert p.returncode == 0, (source, p.stdout, p.stderr[-500:])
    with open(path) as f:
        return json.load(f), json.loads(p.stdout.splitlines()[-1])


def check_trace(source, path, *args):
    """Returns the events by phase."""
    trace, got = trace_of(source, path, *args)
    assert set(trace) == {'displayTimeUnit', 'traceEvents'} and trace['displayTimeUnit'] == 'ns'
    events = trace['traceEvents']
    for e in events:
        check_event(e)
    check_names(events)
    flows = check_flows(events, check_threads(events))
    check_totals(events, got)
    return flows, [e['name'] for e in events if e['ph'] == 's'], got


def check_flags(path):
    """Each flag that some queue's instruction follows is an arrow, without others beside it."""
    flows, names, got = check_trace('samples/flags_in_turn.tik', path)
    assert flows == 60 and set(names) == {'flag 0', 'flag 1'}, (flows, collections.Counter(names))
    assert got['queues']['V']['waits'] and got['queues']['MTE3']['waits']
    flows, names, _ = check_trace('samples/softmax.tik', path, '--sync', 'auto')
    assert flows > 50 and any(n.startswith('flag') for n in names), names
    assert set(check_trace('samples/softmax.tik', path)[1]) == {'wait'}


UNEQUAL = """from tbe import tik
t = tik.Tik()
x = t.Tensor("float16", (8, 4096), name="x", scope=tik.scope_gm)
sync = t.Tensor("int64", (32,), name="sync", scope=tik.scope_gm, is_workspace=True, is_atomic_add=True)
with t.for_range(0, 8, block_num=8) as core:
    a = t.Tensor("float16", (4096,), name="a", scope=tik.scope_ubuf)
    with t.for_range(0, core):
        t.data_move(a, x[core, 0], 0, 1, 256, 0, 0)
    t.block_barrier(sync)
t.BuildCCE(kernel_name="unequal", inputs=[x], outputs=[])
"""


def check_cores(path):
    """Cores that wait for each other at a barrier: core i has i moves, and the last one waits for nobody."""
    source = path + '.tik'
    with open(source, 'w') as f:
        f.write(UNEQUAL)
    _, _, got = check_trace(source, path)
    trace, _ = trace_of(source, path)
    waits = {e['pid']: e['args']['waited'] for e in trace['traceEvents'] if e.get('args', {}).get('waited for') == 'other cores'}
    assert sorted(waits) == list(range(1, 8)) and sorted(waits.values(), reverse=True) == list(waits.values()), waits
    assert got['queues']['S']['waits']['other cores'] == sum(waits.values())


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 't.json')
        jobs = [check_flags, check_cores]
        for name in sorted(os.listdir(os.path.join(ROOT, 'samples'))):
            blob = os.path.join(folder, name + '.tkb')
            if name.endswith('.tik') and not name.startswith(('lmem', 'matmul_int8')) and \
                    subprocess.run([TIKC, 'build', 'samples/' + name, '-o', blob], cwd=ROOT, capture_output=True).returncode == 0 and \
                    subprocess.run([TIKC, 'disasm', blob], capture_output=True, text=True).stdout.count('\nkernel ') == 1:
                jobs.append(lambda path, blob=blob: check_trace(blob, path))
        assert len(jobs) > 20
        for job in jobs:
            try:
                job(path)
                passed += 1
            except (AssertionError, ValueError, KeyError) as e:
                failed += 1
                print(repr(e)[:2000])
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
