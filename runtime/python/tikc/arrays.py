"""Arguments of kernels and the arrays that are given for them. numpy is imported when the first kernel is called."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _native
from .diagnostics import RunError

if TYPE_CHECKING:
    import numpy


@dataclass(frozen=True)
class Argument:
    """An argument of a kernel. shape is the declared one; open says that it is only the maximum: the array that is given has the
    size. role is 'input', 'output', 'workspace', 'global', 'list' or the like."""
    name: str
    role: str
    dtype: str
    shape: Tuple[int, ...]
    size: int
    open: bool

    @property
    def numpy_dtype(self) -> str:
        """bfloat16, which numpy does not have, is stored as the bits of uint16."""
        return 'uint16' if self.dtype == 'bfloat16' else self.dtype


def arguments(kernel: _native.Kernel) -> List[Argument]:
    out = []
    for i in range(kernel.nparams):
        p = kernel.params[i]
        out.append(Argument(_native.text(p.name), _native.role_name(p.role), _native.dtype_name(p.dtype), tuple(p.shape[:p.ndim]),
                            p.elems, bool(p.open)))
    return out


class Binding:
    """Arrays for the arguments of one run, and the structures that the runtime takes. What is given and fits is used where it is; what
    is not contiguous is copied, and outputs copied back."""

    def __init__(self, args: Sequence[Argument], given: Mapping[str, Any]) -> None:
        self.args = args
        self.arrays: Dict[str, Any] = {}
        self.back: List[Tuple[Any, Any]] = []
        self.structs = (_native.Array * max(len(args), 1))()
        self.pointers = (ctypes.POINTER(_native.Array) * max(len(args), 1))()
        self.kept: List[Any] = []
        for i, a in enumerate(args):
            self._bind(i, a, given.get(a.name))
            self.pointers[i] = ctypes.pointer(self.structs[i])

    def _bind(self, i: int, a: Argument, value: Any) -> None:
        if a.role == 'list':
            if value is None or len(value) != a.size:
                raise TypeError(f"'{a.name}' is a list of {a.size} arrays")
            items = (_native.Array * max(a.size, 1))()
            arrays = [self._plain(v, a, written=True) for v in value]
            for j, array in enumerate(arrays):
                _fill(items[j], array, array.dtype.name)
            self.kept.append(items)
            self.arrays[a.name] = list(value)
            self.structs[i].elems, self.structs[i].items = a.size, items
            return
        array = self._array(a, value)
        self.arrays[a.name] = value if _is_array(value) else array
        _fill(self.structs[i], self._plain(array, a, a.role != 'input'), a.dtype)

    def _array(self, a: Argument, value: Any) -> 'numpy.ndarray[Any, Any]':
        import numpy
        if value is None:
            if a.role == 'input':
                raise TypeError(f'the kernel needs {a.name}')
            if a.open and a.role == 'output':
                raise TypeError(f"the size of '{a.name}' is not declared: give an array, or a shape for an output")
            return numpy.zeros(a.shape or (a.size,), a.numpy_dtype)
        if isinstance(value, tuple) and a.role != 'input':
            value = numpy.zeros(value, a.numpy_dtype)
        array = numpy.asarray(value)
        if not _is_array(value) and array.dtype != a.numpy_dtype:
            array = array.astype(a.numpy_dtype)  # of a number or a list
        if array.dtype.newbyteorder('=') != numpy.dtype(a.numpy_dtype):
            raise TypeError(f"'{a.name}' is {a.dtype}; the array given for it is {array.dtype}")
        if array.size != a.size and not (a.open and array.size <= a.size):
            raise ValueError(f"'{a.name}' has {'at most ' if a.open else ''}{a.size} elements, of the shape {a.shape}; the array given "
                             f"for it has {array.size}, of the shape {array.shape}")
        return array

    def _plain(self, array: Any, a: Argument, written: bool) -> 'numpy.ndarray[Any, Any]':
        import numpy
        if written and not array.flags.writeable:
            raise ValueError(f"the array given for '{a.name}' is read-only; the kernel writes it")
        plain = numpy.ascontiguousarray(array, array.dtype.newbyteorder('='))
        if written and not numpy.shares_memory(plain, array):
            self.back.append((array, plain))
        self.kept.append(plain)
        return plain

    def finish(self) -> None:
        for array, plain in self.back:
            array[...] = plain.reshape(array.shape)

    def outputs(self) -> List[Any]:
        return [self.arrays[a.name] for a in self.args if a.role == 'output']


def _is_array(value: Any) -> bool:
    import numpy
    return isinstance(value, numpy.ndarray)


def _fill(s: _native.Array, array: Any, dtype: str) -> None:
    s.dtype = _native.runtime.tikrt_dtype(dtype.encode())
    s.elems, s.bytes, s.data, s.ndim = array.size, array.nbytes, array.ctypes.data, min(array.ndim, 8)
    s.shape[:s.ndim] = list(array.shape[:8])


def named(args: Sequence[Argument], values: Sequence[Any], keywords: Mapping[str, Any]) -> Dict[str, Any]:
    """Values by name: those without a name are for the inputs, in their order, and then for the outputs. Workspaces and tensors that are
    in no list of BuildCCE need none: they start as zeros."""
    order = [a.name for a in args if a.role in ('input', 'list')] + [a.name for a in args if a.role == 'output']
    known = [a.name for a in args]
    if len(values) > len(order):
        raise TypeError(f'the kernel takes {len(order)} arrays ({", ".join(order)}); {len(values)} are given')
    out = dict(zip(order, values))
    for name, value in keywords.items():
        if name not in known:
            raise TypeError(f"the kernel has no argument '{name}'; its arguments are {', '.join(known)}")
        if name in out:
            raise TypeError(f"'{name}' is given twice")
        out[name] = value
    missing = [a.name for a in args if a.role in ('input', 'list') and a.name not in out]
    if missing:
        raise TypeError(f'the kernel needs {", ".join(missing)}')
    return out


def failed(error: _native.Error) -> RunError:
    return RunError(*[_native.text(t) for t in (error.name, error.text, error.place, error.where)])


def warner(found: List[Tuple[str, str, str]]) -> Any:
    def warn(ctx: Optional[int], name: bytes, message: bytes, place: bytes) -> None:
        found.append((_native.text(name), _native.text(message), _native.text(place)))
    return _native.WARN(warn)
