"""Compiling programs, and the kernels that come out: they are called with numpy arrays."""
from __future__ import annotations

import ctypes
import os
import threading
import warnings
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _native, arrays, diagnostics
from ._native import compiler, runtime
from .arrays import Argument
from .diagnostics import BlobError, CompileError, Diagnostic, RunWarning

__tracebackhide__ = True  # pytest shows the caller

BACKENDS = ('host', 'emulator')


class Proof(NamedTuple):
    """What the verifier of a blob found: rules that hold in all runs, and rules that each run checks."""
    proved: int
    checked: int


class Unit:
    """A compilation of the C library, freed with the last object that needs it. Threads take its lock for what compiles; kernels run
    side by side."""

    def __init__(self) -> None:
        self.handle = compiler.tikc_new()
        self.lock = threading.RLock()
        self.texts: List[Any] = []  # that the loader gave out
        self.loader = _native.LOAD(self._load)
        compiler.tikc_set_loader(self.handle, self.loader, None)

    def __del__(self) -> None:
        if getattr(self, 'handle', None):
            compiler.tikc_free(self.handle)
            self.handle = None

    def _load(self, ctx: Optional[int], path: bytes, text: Any, size: Any) -> bool:
        try:
            with open(os.fsdecode(path), 'rb') as f:
                data = f.read()
        except OSError:
            return False
        self.texts.append(ctypes.create_string_buffer(data, len(data) + 1))
        text[0], size[0] = ctypes.addressof(self.texts[-1]), len(data)
        return True

    def diagnostics(self) -> List[Diagnostic]:
        return diagnostics.parse(_native.text(compiler.tikc_diagnostics(self.handle, _native.JSON)))

    def error(self) -> CompileError:
        return CompileError(_native.text(compiler.tikc_diagnostics(self.handle, _native.TEXT)).rstrip('\n'), self.diagnostics())

    def make(self, kernel: int, form: int) -> bytes:
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self.lock:
            if not compiler.tikc_make(self.handle, kernel, form, ctypes.byref(data), ctypes.byref(size)):
                raise self.error()
            return ctypes.string_at(data.value or 0, size.value)

    def native(self, kernel: int) -> Any:
        entry = ctypes.POINTER(_native.Kernel)()
        with self.lock:
            if not compiler.tikc_native(self.handle, kernel, ctypes.byref(entry)):
                raise self.error()
        return entry


class _Callable:
    """What kernels of programs and of blobs have in common. A call takes the inputs, and the outputs too if they are to be written in
    place; it returns the outputs: one array, or a tuple of them."""
    name: str
    backend: str

    @property
    def soc(self) -> str:
        return _native.text(self._info().soc)

    @property
    def cores(self) -> int:
        return int(self._info().cores)

    @property
    def arguments(self) -> List[Argument]:
        return arrays.arguments(self._info())

    def _info(self) -> _native.Kernel:
        raise NotImplementedError

    def _run(self, binding: arrays.Binding, found: List[Tuple[str, str, str]], error: _native.Error) -> bool:
        raise NotImplementedError

    def __call__(self, *values: Any, **named: Any) -> Any:
        given = arrays.named(self.arguments, values, named)
        outputs = self.run(given)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def run(self, given: Mapping[str, Any]) -> List[Any]:
        """Runs with arrays by name, and returns the list of the outputs."""
        binding = arrays.Binding(self.arguments, given)
        found: List[Tuple[str, str, str]] = []
        error = _native.Error()
        ok = self._run(binding, found, error)
        binding.finish()
        for name, message, place in found:
            warnings.warn(RunWarning((place + ': ' if place else '') + f'{message} [{name}]'), stacklevel=3)
        if not ok:
            raise arrays.failed(error)
        return binding.outputs()

    def __repr__(self) -> str:
        args = ', '.join(f'{a.name}: {a.dtype}{list(a.shape)}' for a in self.arguments)
        return f'<tikc kernel {self.name}({args}) for {self.soc} on the {self.backend}>'


class Loaded:
    """A blob that the runtime has verified."""

    def __init__(self, data: bytes) -> None:
        error = _native.Error()
        self.handle = runtime.tik_load(data, len(data), ctypes.byref(error))
        if not self.handle:
            raise BlobError(_native.text(error.text))

    def __del__(self) -> None:
        if getattr(self, 'handle', None):
            runtime.tik_unload(self.handle)
            self.handle = None


class BlobKernel(_Callable):
    """A kernel of a blob. It runs in the emulator; check=True also looks for uses of what was never written, and for cores that
    collide, and reports them as warnings."""
    backend = 'emulator'

    def __init__(self, loaded: Loaded, index: int, check: bool = False) -> None:
        self._loaded = loaded
        self._index = index
        self.check = check
        self.name = _native.text(self._info().name)

    def _info(self) -> _native.Kernel:
        info: _native.Kernel = runtime.tik_loaded_kernel(self._loaded.handle, self._index).contents
        return info

    def verify(self) -> Proof:
        """What was proved when the blob was loaded; a blob that breaks a rule is not loaded at all."""
        proved, checked = ctypes.c_int64(), ctypes.c_int64()
        runtime.tik_loaded_proof(self._loaded.handle, self._index, ctypes.byref(proved), ctypes.byref(checked))
        return Proof(proved.value, checked.value)

    def with_options(self, check: bool = False) -> 'BlobKernel':
        return BlobKernel(self._loaded, self._index, check)

    def _run(self, binding: arrays.Binding, found: List[Tuple[str, str, str]], error: _native.Error) -> bool:
        options = _native.EmuOptions(warn=arrays.warner(found), check=self.check)
        made = [a.role in ('output', 'workspace') for a in self.arguments]
        options.defined = (ctypes.c_bool * max(len(made), 1))(*[not m for m in made])
        return bool(runtime.tik_loaded_run(self._loaded.handle, self._index, binding.pointers, ctypes.byref(options),
                                           ctypes.byref(error)))


class Kernel(_Callable):
    """A kernel of a program. backend 'host' is machine code of this computer, 'emulator' executes its blob; both give the same bits.
    threads: of the host back end; 0 is as many as there are processors. check: see BlobKernel."""

    def __init__(self, unit: Unit, index: int, backend: str = 'host', threads: int = 0, check: bool = False) -> None:
        if backend not in BACKENDS:
            raise ValueError(f"backend is {' or '.join(map(repr, BACKENDS))}, not {backend!r}")
        if check and backend == 'host':
            raise ValueError("check=True is for backend='emulator'")
        self._unit = unit
        self._index = index
        self.backend, self.threads, self.check = backend, threads, check
        self._emulated: Optional[BlobKernel] = None
        self._native: Any = None
        self.name = _native.text(compiler.tikc_kernel_name(unit.handle, index))

    def _info(self) -> _native.Kernel:
        """Of the form that there is: only a kernel that has not run yet gets a blob for it."""
        if self._native is None:
            return self._blob_kernel()._info()
        info: _native.Kernel = self._native.contents
        return info

    def run(self, given: Mapping[str, Any]) -> List[Any]:
        self._prepare()
        return super().run(given)

    def __call__(self, *values: Any, **named: Any) -> Any:
        self._prepare()
        return super().__call__(*values, **named)

    def _prepare(self) -> None:
        if self.backend == 'host' and self._native is None:
            self._native = self._unit.native(self._index)

    def _blob_kernel(self) -> BlobKernel:
        with self._unit.lock:
            if self._emulated is None:
                self._emulated = BlobKernel(Loaded(self.blob()), 0, self.check)
            return self._emulated

    def with_options(self, backend: Optional[str] = None, threads: Optional[int] = None, check: Optional[bool] = None) -> 'Kernel':
        """The same kernel with other options."""
        return Kernel(self._unit, self._index, self.backend if backend is None else backend,
                      self.threads if threads is None else threads, self.check if check is None else check)

    def blob(self) -> bytes:
        """The descriptor blob of this kernel."""
        return self._unit.make(self._index, _native.BLOB)

    def ir(self) -> str:
        return self._unit.make(self._index, _native.IR).decode()

    def facts(self) -> Dict[str, Any]:
        """What a host has to know of the kernel: arguments, block count, workspaces."""
        import json
        out: Dict[str, Any] = json.loads(self._unit.make(self._index, _native.FACTS))
        return out

    def _run(self, binding: arrays.Binding, found: List[Tuple[str, str, str]], error: _native.Error) -> bool:
        if self.backend == 'emulator':
            return self._blob_kernel()._run(binding, found, error)
        return bool(runtime.tik_launch_watched(self._native, binding.pointers, self.threads, arrays.warner(found), None,
                                               ctypes.byref(error)))


class _Kernels:
    """Kernels by name; one that is alone is called through its module."""
    kernels: Dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.kernels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.kernels)

    def __len__(self) -> int:
        return len(self.kernels)

    @property
    def kernel(self) -> Any:
        if len(self.kernels) != 1:
            raise TypeError(f'there are {len(self.kernels)} kernels ({", ".join(self.kernels)}): choose one by its name')
        return next(iter(self.kernels.values()))

    def __call__(self, *values: Any, **named: Any) -> Any:
        return self.kernel(*values, **named)

    def __repr__(self) -> str:
        return f'<tikc {type(self).__name__.lower()} of {", ".join(self.kernels)}>'


class Module(_Kernels):
    """The kernels of a program. warnings has what the compiler found, output what the program printed."""
    kernels: Dict[str, Kernel]

    def __init__(self, unit: Unit, backend: str) -> None:
        self._unit = unit
        all_kernels = [Kernel(unit, i, backend) for i in range(compiler.tikc_kernels(unit.handle))]
        self.kernels = {k.name: k for k in all_kernels}
        self.warnings = unit.diagnostics()
        self.output = _native.text(compiler.tikc_output(unit.handle))

    def blob(self) -> bytes:
        """The descriptor blob of all kernels."""
        return self._unit.make(-1, _native.BLOB)

    def ir(self) -> str:
        return self._unit.make(-1, _native.IR).decode()


class Blob(_Kernels):
    """The kernels of a blob that the verifier accepted."""
    kernels: Dict[str, BlobKernel]

    def __init__(self, data: bytes) -> None:
        loaded = Loaded(data)
        self.data = data
        all_kernels = [BlobKernel(loaded, i) for i in range(runtime.tik_loaded_kernels(loaded.handle))]
        self.kernels = {k.name: k for k in all_kernels}

    def verify(self) -> Proof:
        proofs = [k.verify() for k in self.kernels.values()]
        return Proof(sum(p.proved for p in proofs), sum(p.checked for p in proofs))


PathLike = Union[str, 'os.PathLike[str]']


def _source(path_or_text: PathLike, name: Optional[str]) -> Tuple[str, bytes]:
    """A text has a line end; anything else is a path."""
    if isinstance(path_or_text, str) and '\n' in path_or_text:
        return name or '<string>', path_or_text.encode()
    path = os.fspath(path_or_text)
    with open(path, 'rb') as f:
        return name or path, f.read()


def _begin(soc: Optional[str], call: Optional[str], define: Mapping[str, Any], choices: Mapping[str, str], env: Mapping[str, str],
           include: Iterable[PathLike]) -> Unit:
    unit = Unit()
    ok = soc is None or compiler.tikc_set_soc(unit.handle, soc.encode())
    if call is not None:
        compiler.tikc_set_call(unit.handle, call.encode())
    for name, value in define.items():
        ok = compiler.tikc_define(unit.handle, name.encode(), repr(value).encode()) and ok
    for point, reading in choices.items():
        ok = compiler.tikc_choose(unit.handle, point.encode(), reading.encode()) and ok
    for name, value in env.items():
        compiler.tikc_set_env(unit.handle, name.encode(), value.encode())
    for folder in include:
        compiler.tikc_add_folder(unit.handle, os.fsencode(os.fspath(folder)))
    if not ok:
        raise unit.error()
    return unit


def compile(path_or_text: PathLike, *, soc: Optional[str] = None, call: Optional[str] = None, define: Mapping[str, Any] = {},
            choices: Mapping[str, str] = {}, env: Mapping[str, str] = {}, include: Iterable[PathLike] = (), backend: str = 'host',
            name: Optional[str] = None) -> Module:
    """Compiles a program: the path of a file, or a text (which has more than one line). soc is the processor, call the call that
    builds the kernel ("op(...)"), define sets names that the program leaves open, choices picks readings of uncertain points, env and
    include are as the tool's options. name is the text's name in diagnostics. Raises CompileError."""
    unit = _begin(soc, call, define, choices, env, include)
    path, text = _source(path_or_text, name)
    if not compiler.tikc_compile_text(unit.handle, os.fsencode(path), text, len(text)):
        raise unit.error()
    return Module(unit, backend)


def check(path_or_text: PathLike, *, soc: Optional[str] = None, call: Optional[str] = None, define: Mapping[str, Any] = {},
          choices: Mapping[str, str] = {}, env: Mapping[str, str] = {}, include: Iterable[PathLike] = (),
          name: Optional[str] = None) -> List[Diagnostic]:
    """Compiles a program and returns all that was found, errors too."""
    try:
        return compile(path_or_text, soc=soc, call=call, define=define, choices=choices, env=env, include=include, name=name).warnings
    except CompileError as e:
        return e.diagnostics


def load_blob(blob: Union[bytes, PathLike]) -> Blob:
    """Loads a blob from its bytes, or from a file. Raises BlobError if the verifier refuses it."""
    if not isinstance(blob, (bytes, bytearray, memoryview)):
        with open(blob, 'rb') as f:
            blob = f.read()
    return Blob(bytes(blob))
