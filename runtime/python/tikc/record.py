"""Kernels that a Python program records: values of the program become those of the C interface (tikrecord.h) and back, objects of the
compiler are proxies, and each call says where the program is."""
from __future__ import annotations

import builtins
import ctypes
import os
import sys
import types
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type

from . import _native, places
from ._native import compiler
from .diagnostics import CompileError, CompileWarning, TikcError
from .kernel import Kernel, Unit

__tracebackhide__ = True  # pytest shows the caller

(NONE, BOOL, INT, BIG, FLOAT, STR, TUPLE, LIST, DICT, SET, SLICE, MODULE, OBJECT, FOREIGN, ELLIPSIS) = range(15)
_INT64 = 1 << 63


class Session:
    """The recording of this process. Kernels are recorded one after another; each BuildCCE checks its kernel and begins anew."""

    def __init__(self) -> None:
        self.unit = Unit()
        self.handle = self.unit.handle
        self.objects: List[Any] = []  # of the program, by the number of the foreign object
        self.numbers: Dict[int, int] = {}
        self.types: Dict[str, _native.Value] = {}
        self.raised: Optional[BaseException] = None
        self.kernels: Dict[str, Kernel] = {}
        self.built: Dict[Any, Kernel] = {}
        self.hook = _native.FOREIGN(self._foreign)
        soc = os.environ.get('TIKC_SOC')
        ok = not soc or compiler.tikc_set_soc(self.handle, soc.encode())
        main = getattr(sys.modules.get('__main__'), '__file__', None) or '<python>'
        if not ok or not compiler.tikc_record_begin(self.handle, os.fsencode(main), self.hook, None):
            raise self.unit.error()
        self.places = places.Places(self.handle)
        self._type('object', _native.Value())

    # ---- values --------------------------------------------------------------

    def into(self, v: Any, out: _native.Value, keep: List[Any]) -> None:
        """Fills a value of the C interface. What it points to is kept in the list."""
        kind = type(v)
        if v is None:
            out.kind = NONE
        elif kind is bool:
            out.kind, out.i = BOOL, v
        elif isinstance(v, Proxy):
            mine = object.__getattribute__(v, '_value')
            out.kind, out.n, out.ref = mine.kind, mine.n, mine.ref
        elif isinstance(v, int):
            self._integer(int(v), out, keep)
        elif isinstance(v, float):
            out.kind, out.f = FLOAT, v
        elif isinstance(v, str):
            self._text(STR, v, out, keep)
        elif kind is tuple or kind is list:
            self._items(TUPLE if kind is tuple else LIST, v, out, keep)
        elif isinstance(v, dict):
            self._items(DICT, [x for pair in v.items() for x in pair], out, keep)
        else:
            self._other(v, out, keep)

    def _integer(self, v: int, out: _native.Value, keep: List[Any]) -> None:
        if -_INT64 <= v < _INT64:
            out.kind, out.i = INT, v
        else:
            self._text(BIG, str(v), out, keep)

    def _text(self, kind: int, v: str, out: _native.Value, keep: List[Any]) -> None:
        data = v.encode('utf-8', 'surrogateescape')
        buffer = ctypes.create_string_buffer(data, len(data) + 1)
        keep.append(buffer)
        out.kind, out.n, out.text = kind, len(data), ctypes.addressof(buffer)

    def _items(self, kind: int, items: Sequence[Any], out: _native.Value, keep: List[Any]) -> None:
        array = self.values(items, keep)
        out.kind, out.n, out.items = kind, len(items), array

    def values(self, items: Sequence[Any], keep: List[Any]) -> Any:
        array = (_native.Value * max(len(items), 1))()
        keep.append(array)
        for i, item in enumerate(items):
            self.into(item, array[i], keep)
        return array

    def _other(self, v: Any, out: _native.Value, keep: List[Any]) -> None:
        module = type(v).__module__
        if module == 'numpy' or isinstance(v, type) and v.__module__ == 'numpy':
            self._of_numpy(v, out, keep)
        elif isinstance(v, (set, frozenset)):
            self._items(SET, list(v), out, keep)
        elif isinstance(v, (range, tuple, list)):
            self._items(TUPLE if isinstance(v, tuple) else LIST, list(v), out, keep)
        elif isinstance(v, slice):
            self._items(SLICE, [v.start, v.stop, v.step], out, keep)
        elif v is Ellipsis:
            out.kind = ELLIPSIS
        elif isinstance(v, type) and v.__module__ == 'builtins':
            self._type(v.__name__, out)
        elif isinstance(v, TikModule):
            mine = v.__dict__['_value']
            out.kind, out.n, out.ref = mine.kind, mine.n, mine.ref
        elif hasattr(type(v), '__index__'):
            self._integer(v.__index__(), out, keep)
        else:
            out.kind, out.i = FOREIGN, self._number(v)

    def _type(self, name: str, out: _native.Value) -> None:
        """Types and exceptions of Python are those of the language; a type that it does not have is its object."""
        if name not in self.types:
            value = self.value(self.do(compiler.tikc_record_import, b'builtins'), [])
            found = _native.Value()
            if not compiler.tikc_record_get(self.handle, value, name.encode(), ctypes.byref(found)):
                self.failed()
                found = self.types['object']
            self.types[name] = found
        mine = self.types[name]
        out.kind, out.n, out.ref = mine.kind, mine.n, mine.ref

    def _of_numpy(self, v: Any, out: _native.Value, keep: List[Any]) -> None:
        """Arrays are lists of their elements, types are their names."""
        if hasattr(v, 'tolist') and not isinstance(v, type):
            self.into(v.tolist(), out, keep)
        elif isinstance(v, type) or type(v).__name__.endswith('dtype') or hasattr(v, 'newbyteorder'):
            self.into(v.__name__ if isinstance(v, type) else v.name, out, keep)
        else:
            out.kind, out.i = FOREIGN, self._number(v)

    def _number(self, v: Any) -> int:
        number = self.numbers.get(id(v))
        if number is None:
            number = self.numbers[id(v)] = len(self.objects)
            self.objects.append(v)
        return number

    def outof(self, v: _native.Value) -> Any:
        kind = v.kind
        if kind == OBJECT:
            return Proxy(self, v)
        if kind == NONE:
            return None
        if kind == INT:
            return v.i
        if kind == BOOL:
            return bool(v.i)
        if kind == FLOAT:
            return v.f
        if kind in (STR, BIG):
            text = ctypes.string_at(v.text, v.n).decode('utf-8', 'replace')
            return text if kind == STR else int(text)
        if kind == MODULE:
            return module_of(self, v)
        if kind == FOREIGN:
            return self.objects[v.i]
        if kind == ELLIPSIS:
            return Ellipsis
        return self._container(kind, [self.outof(v.items[i]) for i in range(v.n)])

    @staticmethod
    def _container(kind: int, items: List[Any]) -> Any:
        if kind == DICT:
            return dict(zip(items[::2], items[1::2]))
        if kind == SLICE:
            return slice(*items)
        return items if kind == LIST else tuple(items) if kind == TUPLE else set(items)

    # ---- calls ---------------------------------------------------------------

    def value(self, v: Any, keep: List[Any]) -> _native.Value:
        out = _native.Value()
        self.into(v, out, keep)
        return out

    def failed(self) -> BaseException:
        """What to raise after a function of the interface returned false."""
        name, args, helped = ctypes.c_char_p(), _native.Value(), ctypes.c_char_p()
        pending = compiler.tikc_record_exception(self.handle, ctypes.byref(name), ctypes.byref(args), ctypes.byref(helped))
        if self.raised is not None:
            raised, self.raised = self.raised, None
            return raised
        if pending:
            e = exception_class(_native.text(name.value))(*self.outof(args))
            if helped.value and hasattr(e, 'add_note'):
                e.add_note('help: ' + _native.text(helped.value))
            return e
        error = self.unit.error()
        compiler.tikc_record_next(self.handle)
        return error if error.text else TikcError('a value is missing that an error before kept from being made')

    def do(self, function: Callable[..., bool], *inputs: Any) -> Any:
        """Calls a function of the interface with values, and with names as bytes; gives its result."""
        keep: List[Any] = []
        given = [v if isinstance(v, bytes) else self.value(v, keep) for v in inputs]
        out = _native.Value()
        self.places.here()
        self.raised = None
        if not function(self.handle, *given, ctypes.byref(out)):
            raise self.failed()
        return self.outof(out)

    def arguments(self, args: Sequence[Any], named: Dict[str, Any], keep: List[Any]) -> _native.Args:
        out = _native.Args(npos=len(args), nnamed=len(named))
        out.pos = self.values(args, keep)
        out.named = self.values(list(named.values()), keep)
        out.names = (ctypes.c_char_p * max(len(named), 1))(*[n.encode() for n in named])
        spans = self.places.here(len(args), tuple(named))
        if spans is not None:
            out.places = spans
        return out

    def call(self, callee: Any, method: Optional[str], args: Sequence[Any], named: Dict[str, Any]) -> Any:
        keep: List[Any] = []
        given = self.arguments(args, named, keep)
        out = _native.Value()
        self.raised = None
        target = self.value(callee, keep)
        if not compiler.tikc_record_call(self.handle, target, method and method.encode(), ctypes.byref(given), ctypes.byref(out)):
            raise self.failed()
        result = self.outof(out)
        if isinstance(result, Proxy):
            self._note_scalar(result)
        return result

    def _note_scalar(self, v: Any) -> None:
        """A name that holds a Scalar is looked after: an assignment of a number, which Python does not tell, is probably meant for it."""
        out = _native.Value()
        if compiler.tikc_record_text(self.handle, self.value(v, []), False, ctypes.byref(out)):
            words = str(self.outof(out)).split()
            if words[0] == '<Scalar':
                self.places.hold(v, words[1])

    def text(self, v: Any, plain: bool) -> str:
        out = _native.Value()
        self.places.here()
        if not compiler.tikc_record_text(self.handle, self.value(v, []), plain, ctypes.byref(out)):
            raise self.failed()
        return str(self.outof(out))

    def check(self, ok: bool) -> None:
        if not ok:
            raise self.failed()

    def builtin(self, name: str, *args: Any) -> Any:
        return self.call(self.do(compiler.tikc_record_import, b'builtins'), name, args, {})

    def _foreign(self, ctx: Optional[int], number: int, attribute: Optional[bytes], args: Any, out: Any) -> bool:
        """The compiler's library calls something of the program, or reads an attribute of it."""
        try:
            v = self.objects[number]
            if attribute is not None:
                result = getattr(v, attribute.decode())
            else:
                a = args.contents
                result = v(*[self.outof(a.pos[i]) for i in range(a.npos)],
                           **{_native.text(a.names[i]): self.outof(a.named[i]) for i in range(a.nnamed)})
            keep: List[Any] = []
            self.into(result, out.contents, keep)
            self.kept = keep  # until the next one: the other side copies at once
            return True
        except BaseException as e:
            if attribute is None:
                self.raised = e
            return False

    # ---- kernels -------------------------------------------------------------

    def build(self, container: Any, args: Sequence[Any], named: Dict[str, Any]) -> None:
        with self.unit.lock:
            self.call(container, 'BuildCCE', args, named)
            first = compiler.tikc_kernels(self.handle)
            ok = compiler.tikc_record_build(self.handle)
            error = self.unit.error()
            compiler.tikc_record_next(self.handle)
        if not ok:
            raise error if error.text else CompileError('BuildCCE built no kernel')
        for d in [d for d in error.diagnostics if d.severity == 'warning']:
            warnings.warn_explicit(str(d), CompileWarning, d.file or '<tikc>', d.line or 1)
        kernel = Kernel(self.unit, first - 1, os.environ.get('TIKC_BACKEND', 'emulator'))
        self.kernels[kernel.name] = self.built[key_of(container)] = kernel
        folder = named.get('output_files_path')
        if folder:
            write_kernel(kernel, folder)


def write_kernel(kernel: Kernel, folder: str) -> None:
    import json
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, kernel.name + '.tkb'), 'wb') as f:
        f.write(kernel.blob())
    with open(os.path.join(folder, kernel.name + '.json'), 'w', encoding='utf-8') as g:
        json.dump(kernel.facts(), g, indent=2)


_classes: Dict[str, Type[BaseException]] = {}


def exception_class(name: str) -> Type[BaseException]:
    """Python's own class of that name, or one made for a class of the compiler's library."""
    own = getattr(builtins, name, None)
    if isinstance(own, type) and issubclass(own, BaseException):
        return own
    if name not in _classes:
        _classes[name] = type(name, (RuntimeError,), {})
    return _classes[name]


# ---- objects of the compiler --------------------------------------------------


def key_of(proxy: Any) -> Tuple[int, int]:
    v = object.__getattribute__(proxy, '_value')
    return v.n, v.ref


def _binary(op: str) -> Any:
    def method(self: Any, other: Any) -> Any:
        return _session(self).do(compiler.tikc_record_operator, op.encode(), self, other)
    return method


def _reflected(op: str) -> Any:
    def method(self: Any, other: Any) -> Any:
        return _session(self).do(compiler.tikc_record_operator, op.encode(), other, self)
    return method


def _session(proxy: Any) -> Session:
    session: Session = object.__getattribute__(proxy, '_session')
    return session


class Proxy:
    """An object of the compiler: a container, a Tensor, a Scalar, a class, ..."""
    __slots__ = ('_session', '_value', '__weakref__')
    __array_priority__ = 1000.0  # numpy leaves operators to this class
    __array_ufunc__ = None

    def __init__(self, session: Session, value: _native.Value) -> None:
        object.__setattr__(self, '_session', session)
        object.__setattr__(self, '_value', _native.Value(value.kind, value.n, value.content))

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__') and name not in ('__name__', '__qualname__'):
            raise AttributeError(name)
        s = _session(self)
        if name == 'BuildCCE':
            return lambda *args, **named: s.build(self, args, named)
        found = s.do(compiler.tikc_record_get, self, name.encode())
        return Debugger(s, self) if name == 'tikdb' else found

    def __setattr__(self, name: str, v: Any) -> None:
        s = _session(self)
        keep: List[Any] = []
        s.places.here()
        s.check(compiler.tikc_record_set(s.handle, s.value(self, keep), name.encode(), s.value(v, keep)))

    def __call__(self, *args: Any, **named: Any) -> Any:
        return _session(self).call(self, None, args, named)

    def __getitem__(self, key: Any) -> Any:
        return _session(self).do(compiler.tikc_record_get_item, self, key)

    def __setitem__(self, key: Any, v: Any) -> None:
        s = _session(self)
        keep: List[Any] = []
        s.places.here()
        s.check(compiler.tikc_record_set_item(s.handle, s.value(self, keep), s.value(key, keep), s.value(v, keep)))

    def __enter__(self) -> Any:
        s = _session(self)
        name = s.places.name_after_with()
        out = _native.Value()
        s.places.here()
        s.check(compiler.tikc_record_enter(s.handle, s.value(self, []), name and name.encode(), ctypes.byref(out)))
        return s.outof(out)

    def __exit__(self, kind: Any, e: Any, trace: Any) -> None:
        s = _session(self)
        s.places.here()
        if not compiler.tikc_record_leave(s.handle, s.value(self, []), kind is not None) and kind is None:
            raise s.failed()

    def __bool__(self) -> bool:
        s = _session(self)
        out = ctypes.c_bool()
        s.places.here()
        s.check(compiler.tikc_record_truth(s.handle, s.value(self, []), ctypes.byref(out)))
        return out.value

    def __len__(self) -> int:
        s = _session(self)
        out = ctypes.c_int64()
        s.places.here()
        s.check(compiler.tikc_record_length(s.handle, s.value(self, []), ctypes.byref(out)))
        return out.value

    def __iter__(self) -> Any:
        return iter(_session(self).builtin('list', self))

    def __contains__(self, item: Any) -> bool:
        return bool(_session(self).do(compiler.tikc_record_operator, b'in', item, self))

    def __instancecheck__(self, v: Any) -> bool:
        return bool(_session(self).builtin('isinstance', v, self))

    def __mro_entries__(self, bases: Any) -> Any:
        raise TypeError(f'{self} belongs to the compiler: no class can be derived from it')

    def __hash__(self) -> int:
        return hash(key_of(self))

    def __repr__(self) -> str:
        return _session(self).text(self, False)

    def __str__(self) -> str:
        return _session(self).text(self, True)

    def __int__(self) -> int:
        return int(_session(self).builtin('int', self))

    def __index__(self) -> int:
        out = _session(self).builtin('range', self)
        return len(out)

    def __float__(self) -> float:
        return float(_session(self).builtin('float', self))

    def __neg__(self) -> Any:
        return self._sign(b'-')

    def __pos__(self) -> Any:
        return self._sign(b'+')

    def __invert__(self) -> Any:
        return self._sign(b'~')

    def _sign(self, op: bytes) -> Any:
        s = _session(self)
        out = _native.Value()
        s.places.here()
        s.check(compiler.tikc_record_operator(s.handle, op, s.value(self, []), None, ctypes.byref(out)))
        return s.outof(out)


for _name, _op in (('add', '+'), ('sub', '-'), ('mul', '*'), ('truediv', '/'), ('floordiv', '//'), ('mod', '%'), ('pow', '**'),
                   ('matmul', '@'), ('lshift', '<<'), ('rshift', '>>'), ('and', '&'), ('or', '|'), ('xor', '^')):
    setattr(Proxy, f'__{_name}__', _binary(_op))
    setattr(Proxy, f'__r{_name}__', _reflected(_op))
    setattr(Proxy, f'__i{_name}__', _binary(_op + '='))
for _name, _op in (('eq', '=='), ('ne', '!='), ('lt', '<'), ('le', '<='), ('gt', '>'), ('ge', '>=')):
    setattr(Proxy, f'__{_name}__', _binary(_op))


class Debugger:
    """tikdb of a container: runs the kernel that it built."""

    def __init__(self, session: Session, container: Proxy) -> None:
        self._session = session
        self._container = container

    def debug_print(self, *args: Any, **named: Any) -> None:
        """Accepted, as in kernels that are compiled: nothing is printed."""

    def start_debug(self, feed_dict: Dict[str, Any], interactive: bool = True, desc_tensor: Any = None) -> List[Any]:
        """Runs the kernel to its end, whether interactive or not, and returns the list of its outputs. feed_dict has arrays by the
        names of the kernel's arguments, or the paths of .npy files."""
        kernel = self._session.built.get(key_of(self._container))
        if kernel is None:
            raise TikcError('start_debug runs the kernel that BuildCCE built; this container has none yet')
        given = {}
        for a in kernel.arguments:
            if a.name in feed_dict:
                given[a.name] = _fed(feed_dict[a.name], a.role)
        unknown = [n for n in feed_dict if n not in given]
        if unknown:
            names = ', '.join(a.name for a in kernel.arguments)
            raise TikcError(f"feed_dict names '{unknown[0]}'; the kernel's arguments are {names}")
        if kernel.backend == 'emulator':
            kernel = kernel.with_options(check=True)
        return kernel.run(given)


def _fed(v: Any, role: str) -> Any:
    import numpy
    v = numpy.load(v) if isinstance(v, str) else v
    return numpy.array(v) if role != 'input' else v  # the caller's array is not written


# ---- modules ------------------------------------------------------------------


class TikModule(types.ModuleType):
    """A module of the compiler's library. Its names are asked for each time: many of them depend on the processor."""

    def __init__(self, session: Optional[Session], name: str, value: Optional[_native.Value]) -> None:
        super().__init__(name)
        self.__path__: List[str] = []
        self.__dict__['_session'] = session
        self.__dict__['_value'] = value

    def __getattr__(self, name: str) -> Any:
        session, value = self.__dict__['_session'], self.__dict__['_value']
        if value is None or name.startswith('__') and name != '__all__':
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        if name == '__all__':
            return session.do(compiler.tikc_record_names, self)
        return session.do(compiler.tikc_record_get, self, name.encode())

    def __call__(self, *args: Any, **named: Any) -> Any:
        """A name that the library does not have is a module: calling it raises what a program gets that tikc runs."""
        return self.__dict__['_session'].call(self, None, args, named)


_modules: Dict[int, TikModule] = {}


def module_of(session: Session, v: _native.Value) -> TikModule:
    """The same module of the library is one module here."""
    if v.ref not in _modules:
        name = session.do(compiler.tikc_record_get, Proxy(session, v), b'__name__')
        _modules[v.ref] = TikModule(session, name, _native.Value(v.kind, v.n, v.content))
    return _modules[v.ref]


_the_session: Optional[Session] = None


def session() -> Session:
    global _the_session
    if _the_session is None:
        _the_session = Session()
    return _the_session


def import_module(name: str) -> Any:
    return session().do(compiler.tikc_record_import, name.encode())

