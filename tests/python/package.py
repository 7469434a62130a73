#!/usr/bin/python3
"""The Python package: compiling, calling kernels with arrays, diagnostics, blobs."""
import ctypes
import os
import subprocess
import sys
import tempfile
import warnings

import harness

harness.use_tree()

SAMPLES = os.path.join(harness.ROOT, 'samples')
HEAD = 'from tbe import tik\nt = tik.Tik()\n'


def sample(name, **options):
    import tikc
    return tikc.compile(os.path.join(SAMPLES, name), **options)


def test_import_without_numpy():
    out = harness.script('import sys, tikc\nm = tikc.compile(%r)\nassert len(m.blob()) > 64 and tikc.load_blob(m.blob()).verify().proved\n'
                         'print([n for n in sys.modules if n.split(".")[0] == "numpy"])' % os.path.join(SAMPLES, 'scale.tik'))
    assert out == '[]\n', out


def test_both_back_ends():
    import numpy
    x = numpy.arange(4096, dtype='float32')
    m = sample('scale.tik')
    for k in (m, m.kernel, m['scale'], m.kernel.with_options(backend='emulator'), m.kernel.with_options(threads=1)):
        y = k(x)
        assert (y == 0.5 * x + 1).all() and y.shape == (4096,) and y.dtype == 'float32'
    assert sample('scale.tik', backend='emulator').kernel.backend == 'emulator'
    assert 'scale(x: float32[4096]' in repr(m.kernel)


def test_outputs_in_place():
    import numpy
    x, y = numpy.ones(4096, 'float32'), numpy.zeros(4096, 'float32')
    m = sample('scale.tik')
    assert m(x, y) is y and (y == 1.5).all()
    wide = numpy.zeros((4096, 2), 'float32')
    assert m(x, y=wide[:, 1]) is not None and (wide[:, 1] == 1.5).all() and (wide[:, 0] == 0).all()
    swapped = x.astype('>f4')
    assert (m(swapped) == 1.5).all()


def test_threads():
    """Kernels run side by side; what compiles waits."""
    import concurrent.futures
    import numpy
    m = sample('scale.tik')
    kernels = [m.kernel, m.kernel.with_options(threads=1), m.kernel.with_options(backend='emulator'), m.kernel.with_options(threads=2)]

    def work(i):
        x = numpy.arange(4096, dtype='float32') + i
        return (kernels[i % 4](x) == 0.5 * x + 1).all()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(200)))


def test_several_outputs():
    import numpy
    m = sample('top_k.tik')
    args = m.kernel.arguments
    given = {a.name: numpy.arange(a.size, dtype=a.numpy_dtype).reshape(a.shape) for a in args if a.role == 'input'}
    out = m(**given)
    assert isinstance(out, tuple) == (sum(a.role == 'output' for a in args) > 1)


def test_wrong_arrays():
    import numpy
    m = sample('scale.tik')
    x = numpy.zeros(4096, 'float32')
    harness.raises(TypeError, lambda: m(x.astype('float64')), "'x' is float32; the array given for it is float64")
    harness.raises(ValueError, lambda: m(x[:5]), 'has 4096 elements', 'has 5')
    harness.raises(TypeError, lambda: m(), 'the kernel needs x')
    harness.raises(TypeError, lambda: m(x, x, x), 'takes 2 arrays (x, y); 3 are given')
    harness.raises(TypeError, lambda: m(x, x=x), "'x' is given twice")
    harness.raises(TypeError, lambda: m(x, z=x), "no argument 'z'")
    y = x.copy()
    y.flags.writeable = False
    harness.raises(ValueError, lambda: m(x, y), 'read-only')
    harness.raises(ValueError, lambda: m.kernel.with_options(backend='gpu'), "'host' or 'emulator'")
    harness.raises(ValueError, lambda: m.kernel.with_options(check=True), "backend='emulator'")


def test_diagnostics():
    import tikc
    e = harness.raises(tikc.CompileError, lambda: tikc.compile(HEAD + 't.BuildCC(1)\n', name='k.tik'), 'k.tik:3:', '[attribute-error]')
    d = e.diagnostics[0]
    assert (d.name, d.severity, d.file, d.line) == ('attribute-error', 'error', 'k.tik', 3), d
    assert d.fixes[0].text == 'BuildCCE' and d.fixes[0].place.column == 3, d.fixes
    assert str(d).startswith('k.tik:3:3: error: ') and isinstance(e, RuntimeError)
    text = 'def f(n):\n    ' + HEAD.replace('\n', '\n    ') + 't.Tensor("float32", (n,), name="x", scope="nowhere")\nf(8)\n'
    d = tikc.check(text)[0]
    assert d.calls[0].callee == 'f' and d.calls[0].place.line == 5, d.calls
    assert tikc.check(os.path.join(SAMPLES, 'scale.tik')) == []
    harness.raises(tikc.CompileError, lambda: sample('scale.tik', soc='Ascend31'), "there is no processor 'Ascend31'")
    harness.raises(OSError, lambda: sample('none.tik'))


def test_settings():
    import tikc
    text = HEAD + ('import os\nx = t.Tensor("float32", (N,), name="x", scope=tik.scope_gm)\nu = t.Tensor("float32", (N,), name="u", '
                   'scope=tik.scope_ubuf)\nt.data_move(u, x, 0, 1, N // 8, 0, 0)\nt.data_move(x, u, 0, 1, N // 8, 0, 0)\n'
                   'print(os.environ["A"])\nt.BuildCCE(kernel_name=NAME, inputs=[], outputs=[x])\n')
    m = tikc.compile(text, define={'N': 64, 'NAME': 'k'}, env={'A': 'b'}, soc='Ascend310P3')
    assert m.output == 'b\n' and m.kernel.arguments[0].shape == (64,) and m.kernel.soc == 'Ascend310P3' and list(m) == ['k']
    assert m.kernel.facts()['kernelName'] == 'k' and 'data_move' in m.ir() and 'data_move' in m.kernel.ir()


def test_imports_of_the_program():
    import tikc
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (('one.tik', HEAD + 'import two\nprint(two.N)\n'), ('two.py', 'N = 3\n')):
            with open(os.path.join(folder, name), 'w') as f:
                f.write(text)
        assert 'no-kernel' in [d.name for d in tikc.check(os.path.join(folder, 'one.tik'))]


BOUNDS = HEAD + ('x = t.Tensor("int32", (64,), name="x", scope=tik.scope_gm)\ny = t.Tensor("int32", (64,), name="y", scope=tik.scope_gm)\n'
                 'u = t.Tensor("int32", (64,), name="u", scope=tik.scope_ubuf)\nt.data_move(u, x, 0, 1, 8, 0, 0)\nn = t.Scalar("int32", init_value=u[0])\n'
                 't.data_move(y, u, 0, 1, n, 0, 0)\nt.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])\n')


def test_faults_of_a_run():
    import numpy
    import tikc
    for backend in ('host', 'emulator'):
        m = tikc.compile(BOUNDS, name='b.tik', backend=backend)
        x = numpy.full(64, 8, 'int32')
        assert (m(x) == 8).all()
        e = harness.raises(tikc.RunError, lambda: m(x * 9), 'b.tik:8:')
        assert e.name and e.place.startswith('b.tik:8:'), (e.name, e.place)


def test_warnings_of_a_run():
    import numpy
    import tikc
    text = HEAD + ('y = t.Tensor("int32", (64,), name="y", scope=tik.scope_gm)\nu = t.Tensor("int32", (64,), name="u", scope=tik.scope_ubuf)\n'
                   't.data_move(y, u, 0, 1, 8, 0, 0)\nt.BuildCCE(kernel_name="k", inputs=[], outputs=[y])\n')
    k = tikc.load_blob(tikc.compile(text).blob())['k'].with_options(check=True)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter('always')
        assert k().shape == (64,)
    assert any(issubclass(w.category, tikc.RunWarning) for w in found), found
    del numpy


def test_open_sizes():
    """Global tensors of the largest shape have the size of their arrays."""
    import numpy
    import tikc
    text = HEAD + ('x = t.Tensor("int32", (2 ** 63 - 1,), name="x", scope=tik.scope_gm)\ny = t.Tensor("int32", (2 ** 63 - 1,), name="y", '
                   'scope=tik.scope_gm)\nu = t.Tensor("int32", (64,), name="u", scope=tik.scope_ubuf)\nt.data_move(u, x, 0, 1, 8, 0, 0)\n'
                   't.data_move(y, u, 0, 1, 8, 0, 0)\nt.BuildCCE(kernel_name="k", inputs=[x], outputs=[y])\n')
    m = tikc.compile(text)
    assert m.kernel.arguments[1].open
    x = numpy.arange(64, dtype='int32')
    for backend in ('host', 'emulator'):
        k = m.kernel.with_options(backend=backend)
        assert (k(x, (8, 8)) == x.reshape(8, 8)).all() and (k(x, y=numpy.zeros(100, 'int32'))[:64] == x).all()
        harness.raises(TypeError, lambda: k(x), "the size of 'y' is not declared")


def test_blobs():
    import numpy
    import tikc
    m = sample('scale.tik')
    data = m.blob()
    blob = tikc.load_blob(data)
    assert list(blob) == ['scale'] and blob.verify() == blob['scale'].verify() and blob.data == data == m.kernel.blob()
    x = numpy.arange(4096, dtype='float32')
    assert (blob(x) == m(x)).all() and blob.kernel.soc == m.kernel.soc
    with tempfile.NamedTemporaryFile(suffix='.tkb') as f:
        f.write(data)
        f.flush()
        assert (tikc.load_blob(f.name)(x) == m(x)).all()
    harness.raises(tikc.BlobError, lambda: tikc.load_blob(b'TKB'), 'file-short')
    harness.raises(tikc.BlobError, lambda: tikc.load_blob(data[:200] + b'\x01' + data[201:]))


def test_structures():
    """The structures of _native.py are those of the headers: the sizes, and where the last field is."""
    from tikc import _native
    pairs = [('TikError', _native.Error), ('TikArray', _native.Array), ('TikParam', _native.Param), ('TikKernel', _native.Kernel),
             ('TikEmuOptions', _native.EmuOptions), ('TikcValue', _native.Value), ('TikcPlace', _native.Place), ('TikcArgs', _native.Args)]
    text = '#include <stdio.h>\n#include <stddef.h>\n#include "tikrt.h"\n#include "tikrecord.h"\nint main(void) {\n'
    expected = []
    for name, struct in pairs:
        for field, *_ in struct._fields_:
            if field != 'content':
                text += f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));\n'
                expected.append(f'{name}.{field} {getattr(struct, field).offset}')
        if name != 'TikKernel':  # of which the last fields are left out
            text += f'printf("{name} %zu\\n", sizeof({name}));\n'
            expected.append(f'{name} {ctypes.sizeof(struct)}')
    text += 'printf("%d\\n", TIKRT_ABI);\nreturn 0; }\n'
    expected.append(str(_native.ABI))
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/s.c', 'w') as f:
            f.write(text)
        include = [f'-I{harness.ROOT}/{d}' for d in ('runtime', 'runtime/include', 'compiler/include')]
        subprocess.run(['cc', *include, '-o', folder + '/s', folder + '/s.c'], check=True)
        out = subprocess.run([folder + '/s'], capture_output=True, text=True, check=True).stdout.split('\n')[:-1]
    assert out == expected, [p for p in zip(out, expected) if p[0] != p[1]]


def test_library_not_found():
    env = dict(harness.ENV, TIKC_LIBRARY_PATH='/nonexistent')
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['cp', '-r', os.path.join(harness.PACKAGE, 'tikc'), folder], check=True)
        out = harness.python('-c', 'import tikc', env=dict(env, PYTHONPATH=folder), status=1)
    assert 'TIKC_LIBRARY_PATH' in out and 'libtikc.so' in out, out


def main():
    return harness.run(harness.all_of(globals()))


if __name__ == '__main__':
    sys.exit(main())
