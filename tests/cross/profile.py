#!/usr/bin/python3
"""The mode time over all samples: results are those of mode fast; in the trace the instructions of a queue follow each other without
overlap, end before the kernel does, and keep it busy for as long as the profile says; accesses of the same bytes are in the program's
order. Two buffers in turn are faster than one, larger moves slower, and another processor has other rates."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from paths import ROOT, TIKC  # noqa: E402

TILES = '''from tbe import tik
t = tik.Tik()
x = t.Tensor("float16", (%(tiles)d, 4096), name="x", scope=tik.scope_gm)
y = t.Tensor("float16", (%(tiles)d, 4096), name="y", scope=tik.scope_gm)
a = [t.Tensor("float16", (4096,), name="a%%d" %% b, scope=tik.scope_ubuf) for b in range(%(buffers)d)]
with t.for_range(0, %(tiles)d // %(buffers)d) as i:
    for b in range(%(buffers)d):
        t.data_move(a[b], x[(i * %(buffers)d + b) * 4096], 0, 1, 256, 0, 0)
        for _ in range(%(work)d):
            t.vec_exp(128, a[b], a[b], 32, 8, 8)
        t.data_move(y[(i * %(buffers)d + b) * 4096], a[b], 0, 1, 256, 0, 0)
t.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])
'''


def tikc(*args):
    p = subprocess.run([TIKC, *args], capture_output=True, text=True, cwd=ROOT)
    return p.returncode, p.stdout, p.stderr


def profile(path, *args):
    code, out, err = tikc('profile', path, '--format', 'json', *args)
    assert code == 0, (path, err)
    return json.loads(out.splitlines()[-1])


def check_sample(path, folder):
    trace, fast, timed = (os.path.join(folder, n) for n in ('t.json', 'f.npy', 't.npy'))
    listing = tikc('disasm', path)[1]
    outs = [line.split('"')[1] for line in listing.splitlines() if line.startswith('arg ') and ' output ' in line]
    outs = outs[:1]
    got = profile(path, '--trace', trace, *['--out=%s=%s' % (o, timed) for o in outs])
    assert tikc('run', path, *['--out=%s=%s' % (o, fast) for o in outs])[0] == 0
    assert not outs or open(fast, 'rb').read() == open(timed, 'rb').read()
    events = [e for e in json.load(open(trace))['traceEvents'] if e['ph'] == 'X']
    queues = {}
    for e in events:
        queues.setdefault((e['pid'], e['tid']), []).append(e)
    busy = {}
    for (_, queue), line in queues.items():
        end = 0
        for e in line:
            assert e['ts'] >= end - 1e-3, (path, e)
            end = e['ts'] + e['dur']
            busy[queue] = busy.get(queue, 0) + e['args']['clocks']
        assert end * got['mhz'] <= got['clocks'] + 1, (path, end, got['clocks'])
    names = list(got['queues'])
    for i, name in enumerate(names[1:], 2):   # threads have numbers from 1
        assert got['queues'][name]['busy'] == busy.get(i, 0), (path, name)
        assert got['queues'][name]['busy'] <= got['core_clocks']
    assert got['clocks'] * got['cores'] >= got['core_clocks']
    return len(events)


def tiles(folder, soc='Ascend310P3', **sizes):
    path = os.path.join(folder, 'tiles.tik')
    with open(path, 'w') as f:
        f.write(TILES % dict(dict(tiles=16, buffers=1, work=8), **sizes))
    return profile(path, '--soc', soc)


def check_tiles(folder):
    one, two = tiles(folder), tiles(folder, buffers=2)
    work = one['queues']['V']['busy']
    assert two['queues']['V']['busy'] == work
    assert two['clocks'] < 0.8 * one['clocks'] and two['clocks'] > work, (one['clocks'], two['clocks'])
    assert one['queues']['V']['waits'].get('MTE2', 0) > 0
    assert tiles(folder, tiles=32)['clocks'] > 1.9 * one['clocks']
    assert tiles(folder, work=1)['clocks'] < one['clocks']
    assert tiles(folder, soc='Ascend310')['mhz'] != one['mhz']


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = [lambda: check_tiles(folder)]
        for name in sorted(os.listdir(os.path.join(ROOT, 'samples'))):
            blob = os.path.join(folder, name + '.tkb')
            if name.endswith('.tik') and not name.startswith(('lmem', 'matmul_int8')) and \
                    tikc('build', 'samples/' + name, '-o', blob)[0] == 0 and tikc('disasm', blob)[1].count('\nkernel ') == 1:
                jobs.append(lambda b=blob: check_sample(b, folder))
        assert len(jobs) > 20
        for job in jobs:
            try:
                job()
                passed += 1
            except (AssertionError, ValueError, KeyError) as e:
                failed += 1
                print(repr(e))
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
