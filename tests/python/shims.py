#!/usr/bin/python3
"""Programs that import tbe or te run under Python as they are: what they record is what tikc makes of the same text."""
import os
import sys
import tempfile

import harness

harness.use_tree()

ADD = '''import numpy as np
{imports}


def add(n):
    t = tik.Tik()
    x = t.Tensor("float32", (n,), name="x", scope=tik.scope_gm)
    y = t.Tensor("float32", (n,), name="y", scope=tik.scope_gm)
    ub = t.Tensor("float32", (n,), name="ub", scope=tik.scope_ubuf)
    with t.for_range(0, n // 64) as i:
        t.data_move(ub[i * 64], x[64 * i], 0, 1, 8, 0, 0)
    limit = t.Scalar("int32", init_value=np.int64(n))
    with t.if_scope(limit + 1 > n):
        t.vec_adds(64, ub, ub, np.float32(1), n // 64, 8, 8)
    t.data_move(y, ub, 0, 1, n // 8, 0, 0)
    t.BuildCCE(kernel_name="add", inputs=[x], outputs=[y])
    return t


data = np.arange(256, dtype="float32")
result, = add(256).tikdb.start_debug(feed_dict={{"x": data}}, interactive=False)
print("same" if np.array_equal(result, data + 1) else "different", result.shape)
'''
IMPORTS = ['from tbe import tik', 'from te import tik', 'import te.tik as tik', 'import tbe.tik\nfrom tbe.common import tik',
           'import te.lang.cce\nfrom te import platform as cce\nfrom te import tik\ncce.te_set_version("Ascend310")',
           'from te.platform.cce_params import *\nfrom tbe import tik']
HEAD = 'from tbe import tik\nt = tik.Tik()\nx = t.Tensor("int32", (64,), name="x", scope=tik.scope_gm)\n' \
       'u = t.Tensor("int32", (64,), name="u", scope=tik.scope_ubuf)\n'


def test_start_debug():
    for imports in IMPORTS:
        assert harness.script(ADD.format(imports=imports)) == 'same (256,)\n', imports


def test_program_of_the_page():
    import re
    with open(os.path.join(harness.ROOT, 'docs/python.md'), encoding='utf-8') as f:
        programs = re.findall(r'```python\n(.*?)```', f.read(), re.S)
    assert len(programs) == 2
    for program in programs:
        harness.script(program.replace("'samples/", f"'{harness.ROOT}/samples/"))


def test_both_back_ends_and_processors():
    text = ADD.format(imports=IMPORTS[0]) + 'from tikc import shims\nk = shims.kernels()["add"]\nprint(k.soc, k.backend)\n'
    assert harness.script(text).split('\n')[1] == 'Ascend310P3 emulator'
    env = dict(harness.ENV, TIKC_BACKEND='host', TIKC_SOC='Ascend910A')
    assert harness.script(text, env=env) == 'same (256,)\nAscend910A host\n'


REBOUND = HEAD + '''

def fill(more):
    n = t.Scalar("int32", name="count", init_value=1)
    k = t.Scalar("int32", name="k", init_value=1)
    with t.if_scope(n > 0):
        n = 7
    t.vec_dup(64, u, more, 1, 8)
    k = k + 1
    k.dtype


m = t.Scalar("int32", name="m", init_value=1)
fill(1)
fill(2)
m.set_as(3)
m = 4
t.data_move(x, u, 0, 1, 8, 0, 0)
m = t.Scalar("int32", name="m", init_value=1)
t.BuildCCE(kernel_name="k", inputs=[], outputs=[x])
'''


def test_names_of_scalars_that_become_numbers():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'rebound.py')
        with open(path, 'w') as f:
            f.write('import tikc\nimport warnings\nwith warnings.catch_warnings(record=True) as found:\n    warnings.simplefilter("always", tikc.CompileWarning)\n'
                    '    import program\nprint(*[str(w.message).split("\\n")[0].split(": ", 1)[1] + f" {w.lineno}" for w in found], sep="\\n")\n')
        with open(os.path.join(folder, 'program.py'), 'w') as f:
            f.write(REBOUND)
        out = harness.python('-m', 'tikc', path)
    line = 1 + REBOUND[:REBOUND.index('n = 7')].count('\n'), 1 + REBOUND[:REBOUND.index('m = 4')].count('\n')
    assert out.splitlines()[:2] == [
        f"warning: 'n' has held the Scalar 'count' and becomes the number 7; the Scalar keeps its value [scalar-rebound] {line[0]}",
        f"warning: 'm' has held the Scalar 'm' and becomes the number 4; the Scalar keeps its value [scalar-rebound] {line[1]}"], out
    assert out.count('rebound') == 2, out


def test_run_by_the_module():
    """Without te and tbe in the path, and with what operators take from impl.util."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'program.py')
        with open(path, 'w') as f:
            f.write('import sys\nfrom impl.util.platform_adapter import tik, tbe_platform\nimport helper\nprint(sys.argv[1:], helper.tik is tik, '
                    'tbe_platform.get_soc_spec("SOC_VERSION"))\n')
        with open(os.path.join(folder, 'helper.py'), 'w') as f:
            f.write('from tbe import tik\n')
        out = harness.python('-m', 'tikc', '--soc', 'Ascend910A', path, 'a', '--b')
    assert out == "['a', '--b'] True Ascend910\n", out
    assert "there is no file 'nowhere.py'" in harness.python('-m', 'tikc', 'nowhere.py', status=2)


PROGRAMS = {
    'loops': '''
with t.for_range(0, 2, block_num=2) as i:
    with t.for_range(0, 4, name="inner") as j:
        with t.if_scope(tik.all(i == 0, j != 1)):
            t.data_move(u[j * 8], x[(i * 32 + j * 8)], 0, 1, 1, 0, 0)
        with t.elif_scope(j > 2):
            t.vec_dup(8, u[8:16], -1, 1, 8)
        with t.else_scope():
            t.vec_dup(8, u[0], i, 1, 8)
''',
    'scalars': '''
a = t.Scalar("int32", "a", 3)
b = t.Scalar(dtype="int64", name="b")
b.set_as(a * 2 - 7 // a + (a << 2) - -a)
a.set_as(u[b % 8 & 7])
s = t.ScalarArray("int32", 4, name="s")
s[1].set_as(a)
u[3].set_as(s[1])
u[4] = s[1] + 1
''',
    'tensors': '''
v = u.reinterpret_cast_to("float32").reshape((8, 8))
assert v.shape in ((8, 8), [8, 8]) and v.dtype == "float32" and len(u.shape) == 1
w = v[2:4, ...] if False else v[2, 0:8]
t.vec_muls(8, w, w, 2.5, 1, 8, 8)
t.vec_conv(8, "none" if False else "round", u, v[0, 0], 1, 8, 8)
c = t.Tensor("int32", (8,), name="c", scope=tik.scope_gm, init_value=[1, 2, 3, 4, 5, 6, 7, 8])
t.data_move(u, c, 0, 1, 1, 0, 0)
''',
    'names': '''
class Op:
    def __init__(self, **options):
        self.t, self.u = options["container"], options.get("ub")
    def move(self, *args):
        return self.t.data_move(self.u, x, *args)
Op(container=t, ub=u).move(0, 1, 8, 0, 0)
move = t.data_move
for dst, src in [(u, x), (x, u)]:
    move(dst, src, 0, 1, 8, 0, 0)
assert isinstance(u, tik.Tensor) and not isinstance(u, tik.Scalar) and u in [u] and {u: 1}[u] == 1 and t != u
''',
}


def recorded():
    """The traces of all kernels of the process."""
    from tikc import _native, record as recording
    session = recording.session()
    return [session.unit.make(i, _native.TRACE).decode() for i in range(_native.compiler.tikc_kernels(session.handle))]


def record(body):
    """The trace of a program that this Python runs."""
    exec(compile(HEAD + body + 't.data_move(x, u, 0, 1, 8, 0, 0)\nt.BuildCCE("k", [], [x])\n', 'k.py', 'exec'), {})
    return recorded()[-1]


def test_same_as_tikc():
    import tikc
    from tikc import _native
    for name, body in PROGRAMS.items():
        text = HEAD + body + 't.data_move(x, u, 0, 1, 8, 0, 0)\nt.BuildCCE("k", [], [x])\n'
        expected = tikc.compile(text)._unit.make(0, _native.TRACE).decode()
        got = record(body)
        assert got == expected and got.count('\n') > 3, f'{name}:\n{got}\n{expected}'


def test_samples_are_recorded_alike():
    """All samples are Python programs, too."""
    import glob
    import tikc
    from tbe.common.platform import set_current_compile_soc_info
    from tikc import _native
    count = 0
    for path in sorted(glob.glob(os.path.join(harness.ROOT, 'samples', '*.tik'))):
        expected = tikc.compile(path)._unit.make(-1, _native.TRACE).decode()
        before = len(recorded())
        with open(path, encoding='utf-8') as f:
            text = f.read()
        set_current_compile_soc_info('Ascend310P3')
        exec(compile(text, path, 'exec'), {'__name__': '__main__', '__file__': path})
        got = ''.join(recorded()[before:])
        assert got == expected, f'{path}\n{got}\n{expected}'
        count += 1
    assert count > 15, count


def test_errors_have_places():
    import tikc
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'wrong.py')
        text = HEAD + 'def move(n):\n    t.data_move(u, x, 0, 1, n, 0,\n                0)\nmove(100000)\nt.data_move(u, x)\n' \
                      't.BuildCCE(kernel_name="wrong", inputs=[], outputs=[x])\n'
        with open(path, 'w') as f:
            f.write(text)
        e = harness.raises(tikc.CompileError, lambda: exec(compile(text, path, 'exec'), {}), 'wrong.py:6:29: error: burst is 100000',
                           "called from here: 'move'", 'wrong.py:9:1: error: data_move needs an argument')
    first = e.diagnostics[0]
    assert (first.name, first.line, first.column, first.place.end_column) == ('range-burst', 6, 29, 30), first
    assert first.calls[0].callee == 'move' and first.calls[0].place.line == 8
    # The next kernel has nothing of it.
    assert 'data_move' in record('')


def test_pythons_without_positions():
    """Before 3.11 only the line is known."""
    import tikc
    from tikc import places
    found = places.Places._positions
    places.Places._positions = staticmethod(lambda code: [])
    try:
        text = HEAD + 't.data_move(u, x, 0, 1, 100000, 0, 0)\nt.BuildCCE("lines", [], [x])\n'
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'lines.py')
            with open(path, 'w') as f:
                f.write(text)
            e = harness.raises(tikc.CompileError, lambda: exec(compile(text, path, 'exec'), {}), 'lines.py:5:25: error: burst is 100000')
        assert any(d.name == 'output-unwritten' and d.line == 3 and d.column == 1 for d in e.diagnostics), e.diagnostics
    finally:
        places.Places._positions = staticmethod(found)


def test_text_without_a_file():
    out = harness.python('-c', 'from te import tik\nt = tik.Tik()\nt.data_move(1)\ntry:\n    t.BuildCCE("k", [], [])\nexcept RuntimeError as e:\n    print(e)')
    assert out.startswith("tikc: error: data_move needs an argument 'src'"), out


def test_allowed_in_the_text():
    import tikc
    line = 't.data_move(u, x, 0, 1, 9, 0, 0)'
    with tempfile.TemporaryDirectory() as folder:
        for comment, ok in (('', False), ('  # tikc: allow(tensor-overflow): there is room', True)):
            path = os.path.join(folder, f'allow{ok}.py')
            text = HEAD + line + comment + '\nt.BuildCCE("allowed", [], [x])\n'
            with open(path, 'w') as f:
                f.write(text)
            tikc_says = not [d for d in tikc.check(path) if d.severity == 'error']
            try:
                exec(compile(text, path, 'exec'), {})
                python_says = True
            except tikc.CompileError:
                python_says = False
            assert tikc_says == python_says, (comment, tikc_says, python_says)


def test_threads_take_turns():
    import threading
    found = []
    for _ in range(3):
        thread = threading.Thread(target=lambda: found.append(record(PROGRAMS['loops'])))
        thread.start()
        thread.join()
    assert len(found) == 3 and found[0] == found[1] == found[2] == record(PROGRAMS['loops'])


def test_threads_at_once():
    """Each thread records kernels of its own."""
    import concurrent.futures
    import numpy
    from tbe import tik

    def work(i):
        t = tik.Tik()
        x = t.Tensor('int32', (64,), name='x', scope=tik.scope_gm)
        y = t.Tensor('int32', (64,), name='y', scope=tik.scope_gm)
        u = t.Tensor('int32', (64,), name='u', scope=tik.scope_ubuf)
        with t.for_range(0, 8) as j:
            t.data_move(u[j * 8], x[j * 8], 0, 1, 1, 0, 0)
        t.vec_adds(64, u, u, i, 1, 8, 8)
        t.data_move(y, u, 0, 1, 8, 0, 0)
        t.BuildCCE(kernel_name=f'k{i}', inputs=[x], outputs=[y])
        data = numpy.arange(64, dtype='int32')
        return (t.tikdb.start_debug(feed_dict={'x': data}, interactive=False)[0] == data + i).all()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(100)))


def test_exceptions_of_the_library():
    from tbe import tik
    from tbe.common import platform
    import te.nowhere
    t = tik.Tik()
    e = harness.raises(AttributeError, lambda: t.data_mov)
    assert not hasattr(e, '__notes__') or 'data_move' in e.__notes__[0]
    harness.raises(RuntimeError, lambda: platform.get_soc_spec('NO_SUCH'), 'NO_SUCH')
    harness.raises(RuntimeError, lambda: te.nowhere.function(), 'placeholder')
    s = t.Scalar('int32', init_value=1)
    harness.raises(RuntimeError, lambda: bool(s > 0), 'runtime-condition')
    harness.raises(RuntimeError, lambda: t.tikdb.start_debug(feed_dict={}), 'BuildCCE')
    harness.raises(TypeError, lambda: exec('class Mine(tik.Dprofile):\n    pass', {'tik': tik}), 'no class can be derived from it')


def test_functions_of_the_program_are_called():
    from tbe.common.utils import para_check
    from tbe.common.register import register_op_compute
    calls = []

    @para_check.check_op_params(para_check.REQUIRED_INPUT, para_check.KERNEL_NAME)
    def op(x, kernel_name='op'):
        calls.append((x['shape'], kernel_name))
        if kernel_name == 'fails':
            raise KeyError('of the program')
        return len(calls)

    @register_op_compute('other')
    def other():
        return 7
    x = {'shape': (2, 3), 'dtype': 'float16', 'format': 'ND', 'ori_shape': (2, 3), 'ori_format': 'ND'}
    assert op(x, kernel_name='k') == 1 and calls == [((2, 3), 'k')] and other() == 7
    assert 'of the program' in str(harness.raises(KeyError, lambda: op(x, kernel_name='fails')))
    harness.raises(RuntimeError, lambda: op({'shape': (2,)}))


def test_start_debug_arguments():
    import numpy
    import tikc
    scope = {}
    exec(compile(HEAD + 't.data_move(u, x, 0, 1, 8, 0, 0)\ny = t.Tensor("int32", (64,), name="y", scope=tik.scope_gm)\n'
                 't.data_move(y, u, 0, 1, 8, 0, 0)\nt.BuildCCE("feed", [x], [y])\n', 'feed.py', 'exec'), scope)
    run = scope['t'].tikdb.start_debug
    data = numpy.arange(64, dtype='int32')
    with tempfile.NamedTemporaryFile(suffix='.npy') as f:
        numpy.save(f, data)
        f.flush()
        for v in (data, data.reshape(8, 8), list(range(64)), f.name):
            assert (run(feed_dict={'x': v})[0] == data).all()
    harness.raises(tikc.TikcError, lambda: run(feed_dict={'z': data}), "feed_dict names 'z'", 'x, y')
    harness.raises(TypeError, lambda: run(feed_dict={'x': data.astype('int64')}), 'int32')
    harness.raises(TypeError, lambda: run(feed_dict={}), 'the kernel needs x')
    mine = numpy.full(64, -1, 'int32')
    run({'x': data, 'y': mine}, False)
    assert (mine == -1).all()
    scope['t'].tikdb.debug_print('u')


def test_files_of_a_kernel():
    with tempfile.TemporaryDirectory() as folder:
        exec(compile(HEAD + 't.data_move(u, x, 0, 1, 8, 0, 0)\nt.data_move(x, u, 0, 1, 8, 0, 0)\n'
                     f't.BuildCCE("filed", [], [x], output_files_path={folder!r})\n', 'filed.py', 'exec'), {})
        assert sorted(os.listdir(folder)) == ['filed.json', 'filed.tkb']


def test_many_kernels_with_one_name():
    for _ in range(3):
        assert record('') == record('')


def main():
    return harness.run(harness.all_of(globals()))


if __name__ == '__main__':
    sys.exit(main())
