#!/usr/bin/python3
"""Speed and memory of everything that users wait for.

usage: tests/bench/run.py BUILD_DIR [--quick]

1. kernels on the host back end and the emulator against C loops and memcpy (bench.c)
2. wall time of whole processes: tikc check on example 3 and on a 1000-line kernel
3. lines per second on a 100,000-line kernel against CPython with the recording stub
4. blob bytes for trip counts 1, 10 and 10^6: must be equal, or the exit code is 1
5. peak memory of the tool

Times are medians; contestants take turns. Aims are printed beside the figures and do not change the
exit code, since they depend on the machine.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STUB = os.path.join(ROOT, 'tests', 'oracle', 'tik_stub')
PEAK = ''  # bench/peak of the build directory
EXAMPLE = os.path.join(ROOT, 'samples', 'example3_large.tik')


def timed(cmd, env=None):
    """Seconds and peak kilobytes of one process; ends the benchmark if it fails."""
    p = subprocess.run([PEAK] + cmd, capture_output=True, text=True, errors='replace', env=env,
                       check=False)
    figures = p.stdout.split()
    if len(figures) != 3 or figures[2] != '0':
        sys.exit('bench: %s failed:\n%s' % (' '.join(cmd), p.stderr))
    return float(figures[0]), int(figures[1])


def take_turns(contestants, rounds):
    """Median seconds and greatest kilobytes per contestant: {name: cmd or (cmd, env)}."""
    seconds = {name: [] for name in contestants}
    memory = dict.fromkeys(contestants, 0)
    for _ in range(rounds):
        for name, cmd in contestants.items():
            cmd, env = cmd if isinstance(cmd, tuple) else (cmd, None)
            s, kb = timed(cmd, env)
            seconds[name].append(s)
            memory[name] = max(memory[name], kb)
    return {n: statistics.median(s) for n, s in seconds.items()}, memory


def kernel_lines(lines):
    """A kernel of about so many lines: what generated operators look like. The Unified Buffer is
    reused scope by scope; every statement is on a line of its own."""
    out = ['from tbe import tik', 't = tik.Tik()',
           "src = t.Tensor('float16', (65536,), name='src', scope=tik.scope_gm)",
           "dst = t.Tensor('float16', (65536,), name='dst', scope=tik.scope_gm)",
           "n = t.Scalar('int32', name='n', init_value=4)"]
    i = 0
    while len(out) < lines - 1:
        at = i % 64 * 1024
        out += ['with t.for_range(0, 8) as i:',
                "    a = t.Tensor('float16', (128,), name='a', scope=tik.scope_ubuf)",
                "    b = t.Tensor('float16', (128,), name='b', scope=tik.scope_ubuf)",
                '    t.data_move(a, src[%d + i * 128], 0, 1, 8, 0, 0)' % at,
                '    t.data_move(b, src[i * 128], 0, 1, 8, 0, 0)',
                '    t.vec_add(128, a, a, b, 1, 8, 8, 8)',
                '    with t.if_scope(i > n):',
                '        t.vec_muls(64, b, a, 2.0, 1, 8, 8)',
                '        n.set_as(n + %d)' % (i % 7),
                '    t.data_move(dst[%d + i * 128], a, 0, 1, 8, 0, 0)' % at]
        i += 1
    out.append("t.BuildCCE(kernel_name='generated', inputs=[src], outputs=[dst])")
    return '\n'.join(out) + '\n'


def trip_kernel(trips):
    return ("from tbe import tik\nt = tik.Tik()\n"
            "g = t.Tensor('float16', (128,), name='g', scope=tik.scope_gm)\n"
            "with t.for_range(0, %s) as i:\n"
            "    u = t.Tensor('float16', (128,), name='u', scope=tik.scope_ubuf)\n"
            "    t.data_move(u, g, 0, 1, 8, 0, 0)\n"
            "    t.vec_add(128, u, u, u, 1, 8, 8, 8)\n"
            "    t.data_move(g, u, 0, 1, 8, 0, 0)\n"
            "t.BuildCCE(kernel_name='trips', inputs=[], outputs=[g])\n") % trips


def write(path, text):
    with open(path, 'w', encoding='ascii') as f:
        f.write(text)


def processes(tikc, tmp, rounds):
    small = os.path.join(tmp, 'k1000.tik')
    write(small, kernel_lines(1000))
    seconds, memory = take_turns({
        'true (the floor)': ['/bin/true'],
        'tikc --version': [tikc, '--version'],
        'tikc check example3_large.tik': [tikc, 'check', EXAMPLE],
        'tikc check, 1000 lines': [tikc, 'check', small],
        'tikc build blob example3_large.tik': [tikc, 'build', EXAMPLE, '-o',
                                               os.path.join(tmp, 'e.tkb')],
        'tikc build object example3_large.tik': [tikc, 'build', EXAMPLE, '--emit', 'object', '-o',
                                                 os.path.join(tmp, 'e.o')],
        'tikc run example3_large.tik (host)': [tikc, 'run', EXAMPLE],
        'tikc run example3_large.tik (emu)': [tikc, 'run', EXAMPLE, '--backend', 'emu'],
    }, rounds)
    print('\nwhole processes (aim: tikc check on example 3 under 5 ms)')
    for name, s in seconds.items():
        print('  %-38s %8.2f ms   peak %5.1f MB' % (name, s * 1e3, memory[name] / 1024))


def lines_per_second(tikc, tmp, lines, rounds):
    path = os.path.join(tmp, 'generated.tik')
    write(path, kernel_lines(lines))
    count = kernel_lines(lines).count('\n')
    trace = os.path.join(tmp, 'trace.txt')
    record = os.path.join(STUB, 'record.py')
    limits = ['--max-statements', '10000000', '--max-steps', '1000000000']
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE='1')
    seconds, memory = take_turns({
        'CPython with the recording stub': ([sys.executable, record, path], env),
        'tikc build --emit trace': [tikc, 'build', path, '--emit', 'trace', '-o', trace] + limits,
        'tikc check': [tikc, 'check', path] + limits,
        'tikc build (blob)': [tikc, 'build', path, '-o', os.path.join(tmp, 'g.tkb')] + limits,
    }, rounds)
    base = seconds['CPython with the recording stub']
    print('\na kernel of %d lines (aim: 5 times as fast as CPython)' % count)
    for name, s in seconds.items():
        print('  %-38s %8.1f ms %9.0f lines/s   %5.1f x CPython   peak %5.1f MB' %
              (name, s * 1e3, count / s, base / s, memory[name] / 1024))


def blob_sizes(tikc, tmp):
    sizes = []
    print('\nblob bytes by trip count (must be equal)')
    for trips in (1, 10, 10 ** 6):
        path = os.path.join(tmp, 'trips%d.tik' % trips)
        blob = os.path.join(tmp, 'trips%d.tkb' % trips)
        # The name of the source is in the blob, so it is the same each time.
        same = os.path.join(tmp, 'trips.tik')
        write(path, trip_kernel('TRIPS'))
        os.replace(path, same)
        timed([tikc, 'build', same, '-D', 'TRIPS=%d' % trips, '-o', blob])
        sizes.append(os.path.getsize(blob))
        print('  %8d trips %8d bytes' % (trips, sizes[-1]))
    return len(set(sizes)) == 1


def main():
    args = argparse.ArgumentParser()
    args.add_argument('build')
    args.add_argument('--quick', action='store_true', help='fewer rounds, smaller programs')
    args = args.parse_args()
    tikc = os.path.abspath(os.path.join(args.build, 'tikc'))
    program = os.path.join(args.build, 'bench', 'bench')
    global PEAK
    PEAK = os.path.abspath(os.path.join(args.build, 'bench', 'peak'))
    quick = ['3', str(1 << 20)] if args.quick else []
    if subprocess.run([program] + quick, check=False).returncode != 0:
        sys.exit('bench: the kernels failed')
    with tempfile.TemporaryDirectory() as tmp:
        processes(tikc, tmp, 3 if args.quick else 15)
        lines_per_second(tikc, tmp, 5000 if args.quick else 100000, 1 if args.quick else 3)
        if not blob_sizes(tikc, tmp):
            sys.exit('bench: the size of a blob depends on a trip count')


if __name__ == '__main__':
    main()
