"""Speed and memory of the front end: kernel text, staging, and plain Python, against CPython with the
recording stub, and against the front end of clang on C of as many lines. Everything here runs on one thread, so the figures are seconds of the processor: they hold
on a machine that does other things too."""
import glob
import os
import shutil
import sys

from measure import STUB, write

HERE = os.path.dirname(os.path.abspath(__file__))
FAR = '100000000000'  # beyond every limit: what is measured is the work
LIMITS = ['--max-statements', '100000000', '--max-steps', FAR, '--max-memory', FAR,
          '--max-file', '1000000000']
CALLS_PER_ROUND = 11500  # of staging.tik
PYTHON = 'CPython with the recording stub'
CLANG = 'clang -fsyntax-only, C'


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


def operator_lines(lines):
    """An operator of about that many lines, as people write them: functions that a class helps, arithmetic
    of the host, f-strings, and the instructions."""
    out = ['from tbe import tik', '', 'def ceil_div(a, b):', '    return (a + b - 1) // b', '', 'class Context:',
           '    def __init__(self, size):', '        self.t = tik.Tik()', '        self.size = size',
           "        self.x = self.t.Tensor('float16', (size,), name='x', scope=tik.scope_gm)",
           "        self.y = self.t.Tensor('float16', (size,), name='y', scope=tik.scope_gm)", '']
    i = 0
    while len(out) < lines - 24:
        tile = 1024 << i % 3
        out += ['def stage_%d(ctx, offset):' % i,
                '    """adds and scales tiles of %d elements"""' % tile,
                '    t = ctx.t',
                '    tiles = ceil_div(ctx.size, %d * 8)' % tile,
                '    repeats = min(%d // 128, 255)' % tile,
                '    burst = %d // 16' % tile,
                '    with t.for_range(0, tiles) as i:',
                "        x_ub = t.Tensor('float16', (%d,), name=f'x_ub_{offset}', scope=tik.scope_ubuf)" % tile,
                "        y_ub = t.Tensor('float16', (%d,), name=f'y_ub_{offset}', scope=tik.scope_ubuf)" % tile,
                '        base = i * %d' % tile,
                '        t.data_move(x_ub, ctx.x[base], 0, 1, burst, 0, 0)',
                '        t.vec_muls(128, y_ub, x_ub, %g, repeats, 8, 8)' % (i % 99 / 16),
                '        with t.if_scope(i * %d + offset < ctx.size):' % tile,
                '            t.vec_add(128, y_ub, y_ub, x_ub, repeats, 8, 8, 8)',
                '        with t.else_scope():',
                '            t.vec_relu(128, y_ub, x_ub, repeats, 8, 8)',
                '        for part in range(%d):' % (2 + i % 3),
                '            t.vec_adds(64, y_ub[part * 64], y_ub[part * 64], 1.0, 1, 8, 8)',
                '        t.data_move(ctx.y[base], y_ub, 0, 1, burst, 0, 0)',
                '    return tiles',
                '']
        i += 1
    out += ['ctx = Context(1 << 20)',
            "done = sum(f(ctx, i) for i, f in enumerate([v for n, v in sorted(globals().items()) if n.startswith('stage_')]))",
            "ctx.t.BuildCCE(kernel_name='operator', inputs=[ctx.x], outputs=[ctx.y])"]
    return '\n'.join(out) + '\n'


def c_lines(lines):
    """C of as many lines: functions with loops, arrays, structures and calls."""
    out = ['struct tile { float *p; long rows, cols, stride; struct tile *next; };']
    i = 0
    while len(out) < lines:
        out += ['static float helper_%d(float x, int n)' % i, '{', '    float acc = %d.5f;' % (i % 9),
                '    for (int i = 0; i < n; i++) {', '        acc = acc * x + (float)i / %d.0f;' % (i % 63 + 1),
                '        if (acc > %d.0f) {' % (i % 50), '            acc -= (float)(n - i) * 0.25f;', '        }', '    }',
                '    return acc;', '}',
                'long stage_%d(struct tile *in, struct tile *out, const unsigned char *mask)' % i, '{', '    long done = 0;',
                '    for (long row = 0; row < in->rows; row++) {',
                '        float *src = in->p + row * in->stride, *dst = out->p + row * out->stride;',
                '        for (long col = 0; col < in->cols; col += %d) {' % (i % 7 + 1),
                '            float v = src[col] * %d.0f + src[(col + %d) %% in->cols];' % (i % 63, i % 9),
                '            v = mask[(row ^ col) & 255] ? helper_%d(v, (int)(col & 15)) : v;' % i,
                '            dst[col] = v < 0.0f ? 0.0f : v > 127.0f ? 127.0f : v;',
                '            done += (long)dst[col] << (%d & 7);' % (i % 9), '        }', '    }', '    return done;', '}']
        i += 1
    return '\n'.join(out) + '\n'


def kernels_text(kernels):
    """Small kernels of one program."""
    text = ''.join('def kernel_%d():\n%s\n' % (i, ''.join('    ' + line + '\n' for line in small_kernel(i))) for i in range(kernels))
    return 'from tbe import tik\n' + text + ''.join('kernel_%d()\n' % i for i in range(kernels))


def many_kernels(m, tikc, tmp, kernels, rounds):
    """Small kernels, all of one process."""
    path = os.path.join(tmp, 'many.tik')
    write(path, kernels_text(kernels))
    seconds, memory = m.take_turns({'tikc': [tikc, 'check', path] + LIMITS}, rounds, processor=True)
    print('\n%d kernels of %d lines in one process: %.1f ms, peak %.1f MB' %
          (kernels, len(small_kernel(0)), seconds['tikc'] * 1e3, memory['tikc'] / 1024))


def small_kernel(i):
    text = kernel_lines(34).replace("'generated'", "'kernel_%d'" % i)
    return text.split('\n')[1:-1]


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
    """Growing programs; CPython and clang only up to 100,000 lines."""
    print('\nprograms of many lines (aims: 5 times as fast as CPython, time per line does not grow)')
    for what, generate in (('one kernel, straight', kernel_lines), ('functions and classes', operator_lines)):
        print('  %s:' % what)
        growing_text(m, tikc, tmp, lines, rounds, generate)


def growing_text(m, tikc, tmp, lines, rounds, generate):
    clang = shutil.which('clang-19') or shutil.which('clang')
    first = {}
    for n in lines:
        path = os.path.join(tmp, 'lines%d.tik' % n)
        text = generate(n)
        count = text.count('\n')
        write(path, text)
        commands = contestants(tikc, tmp, path, path if n <= 100000 else None)
        if clang and n <= 100000:
            source = os.path.join(tmp, 'lines%d.c' % n)
            write(source, c_lines(count))
            commands[CLANG] = [clang, '-fsyntax-only', '-w', source]
        seconds, memory = m.take_turns(commands, rounds if n < 100000 else 1, processor=True)
        for name, s in seconds.items():
            per_line = s / count
            first.setdefault(name, per_line)
            factor = '%5.1f x CPython' % (seconds[PYTHON] / s) if PYTHON in seconds else ' ' * 15
            factor += ' %5.1f x clang' % (seconds[CLANG] / s) if CLANG in seconds else ' ' * 14
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
    print('\nplain Python (aim: at most the time of CPython)')
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
