"""tikc for Python: compile TIK kernels, call them with numpy arrays, load and verify blobs.

    import numpy, tikc
    scale = tikc.compile('scale.tik', soc='Ascend310P3')
    y = scale(numpy.arange(4096, dtype='float32'))

docs/python.md describes it. Programs that import tbe or te run under Python as they are, see tikc.shims."""
from . import _native
from .arrays import Argument
from .diagnostics import BlobError, Call, CompileError, CompileWarning, Diagnostic, Fix, Note, Place, RunError, RunWarning, TikcError
from .kernel import Blob, BlobKernel, Kernel, Module, Proof, check, compile, load_blob
from ._native import LibraryError

__version__: str = _native.text(_native.compiler.tikc_version())
__all__ = ['Argument', 'Blob', 'BlobError', 'BlobKernel', 'Call', 'CompileError', 'CompileWarning', 'Diagnostic', 'Fix', 'Kernel', 'LibraryError', 'Module',
           'Note', 'Place', 'Proof', 'RunError', 'RunWarning', 'TikcError', 'check', 'compile', 'load_blob']
