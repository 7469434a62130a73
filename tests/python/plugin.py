#!/usr/bin/python3
"""The pytest plugin: a failure shows the diagnostics, with the kernel's line."""
import os
import sys
import tempfile

import harness

TESTS = '''
import numpy
import pytest
from tbe import tik


def kernel(blocks):
    t = tik.Tik()
    x = t.Tensor("int32", (64,), name="x", scope=tik.scope_gm)
    u = t.Tensor("int32", (64,), name="u", scope=tik.scope_ubuf)
    n = t.Scalar("int32", "n", x[0])
    t.data_move(u, x, 0, 1, blocks or n, 0, 0)
    t.data_move(x, u, 0, 1, 8, 0, 0)
    t.BuildCCE(kernel_name="k", inputs=[x], outputs=[])
    return t


def test_fine():
    kernel(8)


def test_wrong():
    kernel(100000)


def test_fault():
    kernel(None).tikdb.start_debug(feed_dict={"x": numpy.full(64, 70000, "int32")})


def test_hidden():
    try:
        kernel(100000)
    except RuntimeError:
        raise ValueError("of the test")


def test_expected():
    with pytest.raises(RuntimeError, match="range-burst"):
        kernel(100000)
'''


def test_reports():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'test_k.py'), 'w') as f:
            f.write(TESTS)
        run = ['-m', 'pytest', '-p', 'tikc.pytest_plugin', '-p', 'no:cacheprovider', '--tikc-soc', 'Ascend310P3', '--tikc-backend', 'host']
        out = harness.python(*run, folder, cwd=folder, status=1)
    assert '2 passed' in out and '3 failed' in out, out
    wrong, fault = out.split('_ test_wrong _')[1].split('_ test_fault _')
    fault, hidden = fault.split('_ test_hidden _')
    at, line = 'test_k.py:12:29: error: burst is 100000', '12 |     t.data_move(u, x, 0, 1, blocks or n, 0, 0)'
    assert wrong.count(at) == 1 and line in wrong and 'record.py' not in wrong, wrong
    assert 'test_k.py:12:5: error: burst is 70000' in fault and line in fault and 'record.py' not in fault, fault
    assert at in hidden.split('ValueError: of the test')[1], hidden


def test_without():
    """The plugin does nothing to other tests."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'test_k.py'), 'w') as f:
            f.write('def test_a():\n    assert 1 == 2\n')
        out = harness.python('-m', 'pytest', '-p', 'tikc.pytest_plugin', '-p', 'no:cacheprovider', folder, cwd=folder, status=1)
    assert '- tikc -' not in out and '1 failed' in out, out


def main():
    return harness.run(harness.all_of(globals()))


if __name__ == '__main__':
    sys.exit(main())
