"""Speed and memory of the front end: kernel text, staging, and plain Python, against CPython with the
recording stub. Everything here runs on one thread, so the figures are seconds of the processor: they hold
on a machine that does other things too."""
import glob
import os
import sys

from measure import STUB, write

HERE = os.path.dirname(os.path.abspath(__file__))
FAR = '100000000000'  # beyond every limit: what is measured is the work
LIMITS = ['--max-statements', '100000000', '--max-steps', FAR, '--max-memory', FAR,
          '--max-file', '1000000000']
CALLS_PER_ROUND = 11500  # of staging.tik
PYTHON = 'CPython with the recording stub'


def kernel_lines(lines):
    """A kernel of about that many lines: what generated operators look like. The Unified Buffer is
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


def contestants(tikc, tmp, path, python, options=()):
    """One program in each way: {name: command}. python is what CPython runs, None to leave it out."""
    record = os.path.join(STUB, 'record.py')
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE='1')
    tail = LIMITS + list(options)
    commands = {PYTHON: ([sys.executable, record, python], env)} if python else {}
    commands['tikc build --emit trace'] = [tikc, 'build', path, '--emit', 'trace', '-o',
                                           os.path.join(tmp, 'trace.txt')] + tail
    commands['tikc check'] = [tikc, 'check', path] + tail
    commands['tikc build (blob)'] = [tikc, 'build', path, '-o', os.path.join(tmp, 'g.tkb')] + tail
    return commands


def kernel_text(m, tikc, tmp, lines, rounds):
    """Growing kernels; CPython only up to 100,000 lines."""
    print('\nkernels of many lines (aims: 5 times as fast as CPython, time per line does not grow)')
    first = {}
    for n in lines:
        path = os.path.join(tmp, 'lines%d.tik' % n)
        text = kernel_lines(n)
        count = text.count('\n')
        write(path, text)
        commands = contestants(tikc, tmp, path, path if n <= 100000 else None)
        seconds, memory = m.take_turns(commands, rounds, processor=True)
        for name, s in seconds.items():
            per_line = s / count
            first.setdefault(name, per_line)
            factor = '%5.1f x CPython' % (seconds[PYTHON] / s) if PYTHON in seconds else ' ' * 15
            print('  %8d lines  %-32s %8.1f ms %9.0f lines/s %s  time per line x %.2f  %6.0f bytes/line' %
                  (count, name, s * 1e3, count / s, factor, per_line / first[name],
                   memory[name] * 1024 / count))


def staging(m, tikc, tmp, rounds_of_kernels, rounds):
    """staging.tik: many calls for few statements."""
    path = os.path.join(HERE, 'staging.tik')
    python = os.path.join(tmp, 'staging.tik')
    with open(path, encoding='ascii') as f:
        write(python, 'ROUNDS = %d\n' % rounds_of_kernels + f.read())
    commands = contestants(tikc, tmp, path, python, ['-D', 'ROUNDS=%d' % rounds_of_kernels])
    seconds, memory = m.take_turns(commands, rounds, processor=True)
    calls = CALLS_PER_ROUND * rounds_of_kernels
    print('\nstaging: %d kernels made by %d calls' % (4 * rounds_of_kernels, calls))
    for name, s in seconds.items():
        print('  %-38s %8.1f ms %9.0f calls/s   %5.1f x CPython   peak %5.1f MB' %
              (name, s * 1e3, calls / s, seconds[PYTHON] / s, memory[name] / 1024))


def plain_python(m, build, rounds):
    """Each program of micro/ in the evaluator and in CPython."""
    tool = os.path.abspath(os.path.join(build, 'tools', 'stagerun'))
    print('\nplain Python (aim: at most 1.5 times the time of CPython)')
    worst = 0
    for path in sorted(glob.glob(os.path.join(HERE, 'micro', '*.py'))):
        seconds, memory = m.take_turns({'python': [sys.executable, path], 'tikc': [tool, path, '--steps', FAR, '--memory', FAR]}, rounds,
                                       processor=True)
        ratio = seconds['tikc'] / seconds['python']
        worst = max(worst, ratio)
        print('  %-38s %8.1f ms  CPython %8.1f ms   ratio %.2f   peak %5.1f MB, CPython %5.1f MB' %
              (os.path.basename(path), seconds['tikc'] * 1e3, seconds['python'] * 1e3, ratio,
               memory['tikc'] / 1024, memory['python'] / 1024))
    print('  greatest ratio %.2f' % worst)
