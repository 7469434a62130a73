#!/usr/bin/python3
"""A short run of each fuzz target (built by 'make fuzz-build') from the samples and the lit inputs, with a
fixed seed; TIKC_FUZZ_RUNS sets its length. Skipped when the targets are not built (a sanitizer build of
the suite). Ends with 'N passed, N failed'; a target that finds something prints what and keeps the input."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from paths import BUILD, ROOT  # noqa

TIKC = os.path.join(BUILD, 'tikc')
FUZZ = os.path.join(ROOT, 'build-fuzz')
RUNS = os.environ.get('TIKC_FUZZ_RUNS', '20000')


def seeds(target, folder):
    """Writes the inputs that a target starts from."""
    samples = sorted(glob.glob(os.path.join(ROOT, 'samples/*.tik')))
    if target == 'blob':  # calls in helpers
        samples.append(os.path.join(ROOT, 'tests/lit/cli/diag/run-time-calls.tik'))
    for path in samples:
        name = os.path.join(folder, os.path.basename(path))
        if target == 'source':
            shutil.copy(path, name)
        else:
            emit = ['--emit', 'ir'] if target == 'ir' else []
            subprocess.run([TIKC, 'build', path, *emit, '-o', name], check=True, stderr=subprocess.DEVNULL)
    if target == 'source':
        for i, path in enumerate(sorted(glob.glob(os.path.join(ROOT, 'tests/lit/*/*.tik')))):
            shutil.copy(path, os.path.join(folder, f'lit{i}.tik'))


def run(target):
    with tempfile.TemporaryDirectory() as tmp:
        seeds(target, tmp)
        extra = [f'-dict={ROOT}/tests/fuzz/source.dict'] if target == 'source' else []
        p = subprocess.run([os.path.join(FUZZ, 'fuzz_' + target), f'-runs={RUNS}', '-seed=1', '-max_len=2048',
                            '-timeout=60', '-rss_limit_mb=3000', f'-artifact_prefix={FUZZ}/found-{target}-',
                            *extra, tmp], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if p.returncode:
        print(f'{target}: exit code {p.returncode}\n' + p.stdout.decode(errors='replace')[-4000:])
    return p.returncode == 0


def main():
    targets = [t for t in ('source', 'ir', 'blob') if os.path.isfile(os.path.join(FUZZ, 'fuzz_' + t))]
    if os.path.basename(BUILD) != 'build' or not targets:
        print('the fuzz targets are not built for this build: nothing to run')
        print('0 passed, 0 failed')
        return 0
    ok = sum(run(t) for t in targets)
    print(f'{ok} passed, {len(targets) - ok} failed')
    return 0 if ok == len(targets) else 1


if __name__ == '__main__':
    sys.exit(main())
