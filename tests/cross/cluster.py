#!/usr/bin/python3
"""mpirun -n N tikc run, check and test against one process: what is printed, the exit code, the outputs to the bit; and how a job ends
whose ranks differ, fail or are killed. Which kernels can be shared, and that all of them come out right, is tested without MPI by
tests/cross/peers.py. Ends with 'N passed, N failed', or says that MPI is not installed."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD, ROOT, TIKC  # noqa
import peers  # noqa: E402

# All ranks on this machine, without a network and without a way to start any elsewhere.
ENV = dict(os.environ, PYTHON=sys.executable, OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_btl='self,vader',
           OMPI_MCA_plm='isolated', OMPI_MCA_rmaps_base_oversubscribe='1', OMPI_MCA_hwloc_base_binding_policy='none',
           OMPI_MCA_btl_vader_single_copy_mechanism='none', OMPI_MCA_orte_execute_quiet='1', OMP_NUM_THREADS='2',
           ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0')
passed = failed = 0


def ends(command, **more):
    more.setdefault('stdin', subprocess.DEVNULL)
    p = subprocess.run(command, capture_output=True, text=True, env=ENV, timeout=300, **more)
    return p.returncode, p.stdout, p.stderr


def one(*words, **more):
    return ends([TIKC, *words], **more)


def many(n, *words, **more):
    return ends(['mpirun', '-q', '-n', str(n), TIKC, *words], **more)


def expect(what, ok, *shown):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print('wrong:', what, *shown, sep='\n')


def bytes_of(path):
    with open(path, 'rb') as f:
        return f.read()


# ---- runs ----------------------------------------------------------------------------------------------

def same_run(n, kernel, out, *words):
    """Whether n ranks leave the output, texts and code of one process. A file that does not come to be is None."""
    got = []
    for run, name in ((one, 'one.npy'), (lambda *w: many(n, *w), 'many.npy')):
        if os.path.exists(name):
            os.remove(name)
        end = run('run', kernel, *words, '--out', f'{out}={name}')
        got.append((*end, bytes_of(name) if os.path.exists(name) else None))
    expect(f'{n} ranks: {kernel} {words}', got[0] == got[1], got[0][:3], got[1][:3])
    return got[0]


def runs():
    sample = f'{ROOT}/samples'
    for n in range(1, 9):
        same_run(n, f'{sample}/atomic_sum.tik', 'sum', '--in', 'x=random:5', '--backend', ('host', 'emu')[n % 2])
    same_run(8, f'{sample}/atomic_sum.tik', 'sum', '--in', 'x=random:6')
    same_run(3, f'{sample}/softmax.tik', 'dst_gm' if 'dst_gm' in open(f'{sample}/softmax.tik').read() else 'y')
    same_run(3, f'{sample}/atomic_sum.tik', 'sum', '--in', 'x=random:5', '--stats')
    with open('prints.tik', 'w') as f:
        f.write(peers.LINES.format(cores=5))
    words = ['run', 'prints.tik', '--in', 'x=arange', '--print', 'ub[0:4]@prints.tik:13']
    end = many(3, *words)
    expect('prints of five cores', end[:2] == one(*words)[:2] and len(re.findall('core [0-4]', end[1])) == 5, end)
    for one_core, two in ((6, 6), (5, 3)):
        with open('fault.tik', 'w') as f:
            f.write(peers.FAULT.format(cores=7, one=one_core, two=two))
        for backend in ('host', 'emu'):
            end = same_run(4, 'fault.tik', 'y', '--backend', backend)
            expect('the fault', end[0] == 5 and f'at core {two},' in end[2], end)
    end = same_run(2, f'{sample}/atomic_sum.tik', 'sum', '--in', 'x=ones', '--expect', 'sum=zeros')
    expect('an output that differs is written', end[0] == 6 and end[3], end)
    for words in (['--in', 'x=none.npy'], ['--in', 'y=zeros'], ['--backend', 'gpu'], ['--mpi', 'maybe']):
        end = same_run(2, f'{sample}/atomic_sum.tik', 'sum', *words)
        expect('nothing is written', end[0] in (2, 3) and end[3] is None, end)
    end = many(2, 'run', f'{sample}/atomic_sum.tik', '--colour')
    expect('an unknown option', end == one('run', f'{sample}/atomic_sum.tik', '--colour'), end)
    end = many(2, 'run', f'{sample}/atomic_sum.tik', '--out', 'sum=/dev/full')
    expect('a full disk', end == one('run', f'{sample}/atomic_sum.tik', '--out', 'sum=/dev/full') and end[0] == 3, end)
    for_input = open(f'{sample}/atomic_sum.tik')
    end = many(3, 'run', '-', '--in', 'x=random:5', '--out', 'sum=in.npy', stdin=for_input)
    expect('standard input', end[0] == 0 and np.load('in.npy').any(), end)


def alone():
    """Kernels that are not shared come out right, and it is said why."""
    with open('order.tik', 'w') as f:
        f.write(peers.LINES.format(cores=4).replace('y[core * 8], u, 0, 8, 1, 0, 4 - 1', 'y[core], u, 0, 8, 1, 0, 3'))
    plain = one('run', 'order.tik', '--in', 'x=arange', '--out', 'y=one.npy')
    end = many(3, 'run', 'order.tik', '--in', 'x=arange', '--out', 'y=many.npy')
    expect('cores that write the same bytes', bytes_of('one.npy') == bytes_of('many.npy') and '[not-spread]' in end[2] and end[0] == 0,
           end, plain)
    # A blob that hides it is found out while its differences are put together.
    one('build', 'order.tik', '-o', 'order.tkb')
    text = one('disasm', 'order.tkb')[1]
    with open('lies.txt', 'w') as f:
        f.write(text.replace(' ordered', ''))
    expect('the text says ordered', ' ordered' in text, text[:400])
    one('asm', 'lies.txt', '-o', 'lies.tkb')
    end = many(3, 'run', 'lies.tkb', '--in', 'x=arange', '--out', 'y=many.npy')
    expect('a blob that hides it', bytes_of('one.npy') == bytes_of('many.npy') and 'changed the same bytes' in end[2], end)
    end = many(2, 'run', f'{ROOT}/samples/atomic_sum.tik', '--mode', 'check', '--in', 'x=ones', '--format', 'json')
    expect('mode check', end[0] == 0 and 'not-spread' in end[1], end)


def differing():
    """Ranks that have other programs, that are killed, and that work alone."""
    for i, text in enumerate((peers.LINES.format(cores=3), peers.LINES.format(cores=4))):
        os.makedirs(f'd{i}', exist_ok=True)
        with open(f'd{i}/k.tik', 'w') as f:
            f.write(text)
    end = ends(['mpirun', '-q', '-n', '1', '--wdir', 'd0', TIKC, 'run', 'k.tik', ':', '-n', '1', '--wdir', 'd1', TIKC, 'run', 'k.tik'])
    expect('other programs', end[0] == 3 and 'rank 1 on' in end[2] and '[cluster]' in end[2], end)
    os.remove('d1/k.tik')
    end = ends(['mpirun', '-q', '-n', '1', '--wdir', 'd0', TIKC, 'run', 'k.tik', ':', '-n', '1', '--wdir', 'd1', TIKC, 'run', 'k.tik'])
    expect('a rank without the file', end[0] == 3 and "cannot read 'k.tik'" in end[2], end)
    # rank 1 may use a second of a processor, for a kernel that takes many
    with open('long.tik', 'w') as f:
        f.write(peers.LINES.format(cores=2).replace('    t.vec_adds', '    with t.for_range(0, 1 << 30) as i:\n        t.vec_adds'))
    limited = f'ulimit -t 1; exec "{TIKC}" run long.tik --backend emu --out y=long.npy'
    end = ends(['mpirun', '-q', '-n', '1', TIKC, 'run', 'long.tik', '--backend', 'emu', '--out', 'y=long.npy', ':', '-n', '1',
                'bash', '-c', limited])
    expect('a rank that is killed ends the job', end[0] != 0 and not os.path.exists('long.npy'), end)
    end = many(2, 'check', f'{ROOT}/samples/softmax.tik', '--mpi', 'off', '--format', 'junit')
    expect('--mpi off', end[0] == 0 and end[1].count('</testsuites>') == 2, end)


# ---- trees ---------------------------------------------------------------------------------------------

def tree(folder, n):
    os.makedirs(folder)
    kernel = peers.LINES.format(cores=2)
    for i in range(n):
        text = kernel.replace('t.vec_adds(64', f't.vec_adds({65 + i}') if i % 10 == 3 else kernel + f'\nprint("file {i}")\n'
        with open(f'{folder}/k{i:04}.tik', 'w') as f:
            f.write(text if i % 10 != 7 else 'SHARED = 1\n')


def trees():
    tree('thousand', 1000)
    plain = one('check', 'thousand', '--max-errors', '3')
    expect('a thousand files', many(4, 'check', 'thousand', '--max-errors', '3') == plain and '1 more' not in plain[2][:1], plain[2][-300:])
    expect('its sum', '900 files checked, 100 skipped (100 modules' in plain[2] and plain[0] == 1, plain[2][-300:])
    tree('some', 41)
    for form in ('json', 'sarif', 'github', 'junit'):
        words = ['check', 'some', '--format', form, '--soc', 'Ascend310P3,Ascend910A', '--report', 'r.json']
        want = (*one(*words), bytes_of('r.json'))
        os.remove('r.json')
        end = (*many(3, *words), bytes_of('r.json'))
        expect(f'check as {form}', end == want and end[1], end[:3], want[:3])
    words = ['check', 'some', '--proofs', '--memory', '--shard', '2/3']
    expect('what check shows beside', many(2, *words) == one(*words))
    end = many(2, 'check', 'none')
    expect('no folder', end == one('check', 'none') and end[0] == 3, end)
    subprocess.run([sys.executable, f'{ROOT}/tests/lit/cli/inputs/tests.py', 'tests'], check=True)
    times = lambda end: (end[0], re.sub(r'(time="|"seconds":)[0-9.]+', '', end[1]), end[2])  # noqa: E731
    for form in ('text', 'junit', 'json', 'sarif'):
        got = [times(run('test', 'tests/good', 'tests/wrong', '--format', form)) for run in (one, lambda *w: many(3, *w))]
        expect(f'test as {form}', got[0] == got[1] and got[0][1], *got)


def main():
    if not shutil.which('mpirun') or not os.path.exists(f'{BUILD}/libtikc-mpi.so'):
        print('skipped: MPI is not installed (openmpi-bin, libopenmpi-dev)')
        return 0
    with tempfile.TemporaryDirectory() as d:
        os.chdir(d)
        runs()
        alone()
        differing()
        trees()
        os.chdir('/')
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
