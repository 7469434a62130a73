#!/usr/bin/python3 -IS
"""Stands for tikc in tests (make check-passes). A kernel that runs on the host is run once more without each pass of the host
back end (TIKC_PASSES) that changes what becomes of it, and without all of them. What is shown, the arrays and the exit code
are the same, or else the call ends with 99. The file TIKC_EACH_LOG gets a line 'PASS 1' for each run without a pass, and
'failed' with the pass and the call for each other result."""
import os
import subprocess
import sys

BUILD = os.environ['BUILD']
TIKC = os.path.join(BUILD, 'tikc')
# Options that build has, too, with a value; those of run alone, with one. All others have none.
COMPILE = ('--soc', '--call', '-D', '--define', '--choice', '-I', '--include', '--env', '--lmem-alloc', '--allow', '--kernel',
           '--max-steps', '--max-depth', '--max-memory', '--max-statements', '--max-file', '--max-errors')
RUN = ('--mode', '--in', '--out', '--expect', '--rtol', '--atol', '--threads', '--format', '--color', '--backend', '-O', '--opt',
       '--cpu', '--print', '--lmem-fill', '--lmem-dump', '--schedules', '--seed', '--sanitize', '--mpi', '--sync')
RANKS = ('PMI_RANK', 'PMIX_RANK', 'OMPI_COMM_WORLD_RANK')  # of processes that write the same files


def split(args):
    """(arguments for build, [(option of run, value)]); flags that run and build share stay."""
    compile_args, options, rest = [], [], iter(args)
    for word in rest:
        if word in RUN:
            value = next(rest, '')
            options.append((word, value))
            if word == '--mode' and value in ('static', 'dynamic'):
                compile_args += [word, value]
        else:
            compile_args += [word, next(rest, '')] if word in COMPILE else [word]
    return compile_args, options


def call(args, given):
    p = subprocess.run([TIKC, *args], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout, p.stderr


def content(path):
    """The bytes of a file; a device such as /dev/full has no end."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, 'rb') as f:
            return f.read()
    except OSError:
        return None


class Runs:
    """The runs of a command."""

    def __init__(self, args):
        self.args = args
        self.compile, self.options = split(args)
        self.given = sys.stdin.buffer.read() if '-' in args else b''
        self.arrays = [value.split('=', 1)[-1].split(':')[0] for option, value in self.options if option == '--out']
        self.printed = any(option == '--print' for option, _ in self.options)  # that is part of the kernel

    def kernel(self, more):
        """What becomes of the kernel, or None if build cannot say."""
        code, text, _ = call(['build', *self.compile, '--emit', 'host-ir', '-o', '-', *more], self.given)
        return text if code == 0 and not self.printed else None

    def run(self, more):
        return call(['run', *self.args, *more], self.given), [content(path) for path in self.arrays]


def note(line):
    with open(os.environ['TIKC_EACH_LOG'], 'a', encoding='utf-8') as f:
        f.write(line + '\n')


def without_each(runs, first):
    """The passes without which the command does something else."""
    wrong, known = [], {runs.kernel([])}
    if None not in known and runs.kernel(['--disable', 'all']) in known:
        return wrong  # no pass does anything
    for name in os.environ['TIKC_PASSES'].split() + ['all']:
        more = ['--disable', name]
        kernel = runs.kernel(more)
        if kernel is None or kernel not in known:
            known.add(kernel)
            note(name + ' 1')
            if runs.run(more) != first:
                wrong.append(name)
    return wrong


def main():
    args = sys.argv[1:]
    on_host = args[:1] == ['run'] and not any(word.endswith('.tkb') for word in args) and ('--backend', 'emu') not in split(args)[1]
    if not on_host or any(rank in os.environ for rank in RANKS):
        os.execv(TIKC, [TIKC, *args])
    runs = Runs(args[1:])
    first = runs.run([])
    (code, out, err), _ = first
    sys.stdout.buffer.write(out)
    sys.stdout.flush()
    sys.stderr.buffer.write(err)
    sys.stderr.flush()
    if code in (1, 2, 3):  # there is nothing to execute
        return code
    wrong = without_each(runs, first)
    for name in wrong:
        note(f'failed without {name}: tikc ' + ' '.join(args))
        print(f'each_pass.py: without {name} the result is another', file=sys.stderr)
    return 99 if wrong else code


if __name__ == '__main__':
    sys.exit(main())
