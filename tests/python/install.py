#!/usr/bin/python3
"""The Python package in a fresh virtual environment, by the command that docs/python.md shows and without a network; and what mypy says
of it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import harness


def command():
    with open(os.path.join(harness.ROOT, 'docs/python.md'), encoding='utf-8') as f:
        return re.search(r'^(pip install .*?) runtime/python$', f.read(), re.M).group(1).split()[1:]


def test_fresh_environment():
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, 'tree')  # pip leaves folders in the tree that it builds in
        shutil.copytree(harness.PACKAGE, tree, ignore=shutil.ignore_patterns('build', '*.egg-info', '__pycache__'))
        venv = os.path.join(folder, 'venv')
        env = {k: v for k, v in harness.ENV.items() if k != 'PYTHONPATH'}
        subprocess.run(['/usr/bin/python3', '-m', 'venv', '--system-site-packages', venv], check=True)
        subprocess.run([venv + '/bin/pip', *command(), '--no-index', '--quiet', tree], check=True, env=env)
        check = ('import tikc, numpy, sys\nassert tikc.__file__.startswith(sys.prefix), tikc.__file__\n'
                 'k = tikc.compile(%r)\nassert (k(numpy.ones(4096, "float32")) == 1.5).all()\nprint(tikc.__version__)'
                 % os.path.join(harness.ROOT, 'samples/scale.tik'))
        out = subprocess.run([venv + '/bin/python', '-c', check], env=env, cwd=folder, capture_output=True, text=True)
        assert out.returncode == 0, out.stderr
        with open(os.path.join(harness.PACKAGE, 'pyproject.toml'), encoding='utf-8') as f:
            assert f'version = "{out.stdout.strip()}"' in f.read(), out.stdout
        typed = subprocess.run([venv + '/bin/python', '-c', 'import tikc, os; print(os.path.exists(os.path.dirname(tikc.__file__) + "/py.typed"))'],
                               env=env, cwd=folder, capture_output=True, text=True)
        assert typed.stdout == 'True\n', typed.stdout + typed.stderr


def test_installed_prefix():
    """Beside the libraries of an installed prefix no variable is needed."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['make', '-s', '-C', harness.ROOT, 'BUILD=' + harness.BUILD, 'PREFIX=' + folder, 'install'], check=True)
        site = os.path.join(folder, 'lib/python3/dist-packages')
        shutil.copytree(harness.PACKAGE, site, ignore=shutil.ignore_patterns('build', '*.egg-info', '__pycache__'))
        env = {k: v for k, v in os.environ.items() if k not in ('TIKC_LIBRARY_PATH', 'LD_LIBRARY_PATH')}
        env = dict(env, PYTHONPATH=site)
        out = harness.python('-c', 'import tikc; print(tikc._native.compiler._name)', env=env, cwd=folder)
        assert out.strip() == os.path.join(folder, 'lib/libtikc.so'), out
        run = ('import tikc, numpy\nk = tikc.compile(%r)\nassert k.kernel.backend == "host" and (k(numpy.ones(4096, "float32")) == 1.5).all()\n'
               'print({line.split()[-1] for line in open("/proc/self/maps") if "libtik" in line})' % os.path.join(harness.ROOT, 'samples/scale.tik'))
        out = harness.python('-c', run, env=env, cwd=folder)
        libraries = eval(out)
        assert all(os.path.dirname(lib) in (os.path.join(folder, 'lib'), os.path.join(folder, 'lib/tikc')) for lib in libraries), out
        assert any('libtikc-host' in lib for lib in libraries), out


def test_types():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(['mypy', '--strict', '--cache-dir', folder, 'tikc', 'te', 'tbe'], cwd=harness.PACKAGE, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        with open(folder + '/user.py', 'w') as f:
            f.write('import tikc\nd: tikc.Diagnostic = tikc.check("k.tik")[0]\nn: int = d.line\ns: str = d.line\n')
        done = subprocess.run(['mypy', '--strict', '--cache-dir', folder, folder + '/user.py'], env=dict(harness.ENV, MYPYPATH=harness.PACKAGE),
                              capture_output=True, text=True)
        assert done.stdout.count('error') == 2 and 'user.py:4' in done.stdout, done.stdout  # one line, and the count


def test_types_of_kernels():
    """The samples have the types that the tables give to calls, a wrong name or argument has none."""
    import glob
    env = dict(harness.ENV, MYPYPATH=harness.PACKAGE)
    with tempfile.TemporaryDirectory() as folder:
        for path in glob.glob(os.path.join(harness.ROOT, 'samples', '*.tik')):
            shutil.copy(path, os.path.join(folder, os.path.basename(path)[:-4] + '.py'))
        with open(folder + '/wrong.py', 'w') as f:
            f.write('from te import tik\nt = tik.Tik()\nu = t.Tensor("int32", (8,), tik.scope_ubuf, "u")\nt.vec_ad(8, u, u, u, 1, 8, 8, 8)\n'
                    't.vec_add(8, u, u, u, 1, 8, 8)\nt.vec_add("8", u, u, u, 1, 8, 8, 8)\nt.vec_add(u.shape[0], u, u, u[0], 1, 8, 8, 8)\n')
        files = sorted(glob.glob(folder + '/*.py'))
        done = subprocess.run(['mypy', '--cache-dir', folder, *files], env=env, cwd=folder, capture_output=True, text=True)
    found = [line.split(': ')[0] for line in done.stdout.splitlines() if ': error: ' in line]
    # A mask out of a tuple of lists and numbers is an object to mypy.
    assert sorted(found) == sorted(
        ['wrong.py:4', 'wrong.py:5', 'wrong.py:6', 'relu_masks.py:18']), done.stdout


def main():
    return harness.run(harness.all_of(globals()))


if __name__ == '__main__':
    sys.exit(main())
