"""What the tests of runtime/python share: they run with the package of the tree and the libraries of BUILD, print what failed, and end
with 'N passed, N failed'."""
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import functions  # noqa: E402
from functions import all_of  # noqa: E402, F401

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get('BUILD', os.path.join(ROOT, 'build')))
PACKAGE = os.path.join(ROOT, 'runtime', 'python')
ENV = dict(os.environ, TIKC_LIBRARY_PATH=BUILD, PYTHONPATH=PACKAGE, PYTHONDONTWRITEBYTECODE='1')


def sanitized():
    """A library with a sanitizer in it cannot be loaded by a Python without."""
    names = subprocess.run(['nm', '-D', os.path.join(BUILD, 'libtikc.so')], capture_output=True, text=True)
    return '__asan_init' in names.stdout


def use_tree():
    os.environ['TIKC_LIBRARY_PATH'] = BUILD
    sys.path.insert(0, PACKAGE)


def python(*arguments, env=None, cwd=None, status=0):
    """The output of a Python with the package; both streams in one."""
    done = subprocess.run([sys.executable, *arguments], env=env or ENV, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == status, f'exit code {done.returncode}\n{done.stdout}'
    return done.stdout


def script(text, **more):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'script.py')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        return python(path, **more)


def raises(kind, f, *parts):
    """The exception that f raises, which must be of that kind and have the parts in its text."""
    try:
        f()
    except kind as e:
        for part in parts:
            assert part in str(e), f'{part!r} is not in {e}'
        return e
    raise AssertionError(f'no {kind.__name__}')


def run(tests):
    return functions.run([] if sanitized() else tests)
