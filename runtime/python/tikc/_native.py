"""The C libraries: where they are, the structures of their headers, and the types of their functions."""
from __future__ import annotations

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8,
                    c_uint32, c_uint64, c_void_p)
from typing import Any, List, Optional

# Numbers of tikc.h and tikrt.h.
ABI = 4
BLOB, IR, TRACE, FACTS = range(4)   # TikcForm
TEXT, JSON = range(2)               # TikcFindings


class LibraryError(ImportError):
    """A C library of tikc was not found, or is of another version."""


class Error(Structure):
    _fields_ = [('kind', c_int), ('name', c_char * 40), ('text', c_char * 400), ('place', c_char * 200), ('where', c_char * 240),
                ('frame', c_uint32)]


class Array(Structure):
    pass


Array._fields_ = [('dtype', c_int), ('elems', c_int64), ('ndim', c_int), ('shape', c_int64 * 8), ('data', c_void_p), ('bytes', c_int64),
                  ('items', POINTER(Array)), ('room', c_int64)]


class Param(Structure):
    _fields_ = [('name', c_char_p), ('dtype', c_int), ('role', c_int), ('elems', c_int64), ('ndim', c_int), ('preset', c_int),
                ('shape', c_int64 * 8), ('preset_value', c_int64), ('open', c_int32), ('inside', c_int32), ('unwritten', c_int32),
                ('reserved', c_int32)]


class Kernel(Structure):
    _fields_ = [('abi', c_uint32), ('reserved', c_uint32), ('name', c_char_p), ('soc', c_char_p), ('entry', c_void_p), ('cores', c_int32),
                ('ordered', c_int32), ('fill_scratch', c_int32), ('barriers', c_int32), ('scratch_bytes', c_int64),
                ('lmem_pitch', c_int64), ('nparams', c_int32), ('params', POINTER(Param))]


WARN = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_char_p)


class EmuOptions(Structure):
    _fields_ = [('lmem_fill', c_uint8), ('lmem', POINTER(Array)), ('warn', WARN), ('ctx', c_void_p), ('check', c_bool),
                ('defined', POINTER(c_bool)), ('profile', c_void_p), ('schedule', c_uint64), ('peers', c_void_p)]


LOAD = CFUNCTYPE(c_bool, c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t))


class Value(Structure):
    """TikcValue of tikrecord.h."""


class _Content(Union):
    _fields_ = [('i', c_int64), ('f', c_double), ('text', c_void_p), ('items', POINTER(Value)), ('ref', c_void_p)]


Value._anonymous_ = ('content',)
Value._fields_ = [('kind', c_int32), ('n', c_uint32), ('content', _Content)]


class Place(Structure):
    _fields_ = [('source', c_uint32), ('line', c_uint32), ('column', c_uint32), ('end_line', c_uint32), ('end_column', c_uint32)]


class Args(Structure):
    _fields_ = [('pos', POINTER(Value)), ('named', POINTER(Value)), ('names', POINTER(c_char_p)), ('places', POINTER(Place)),
                ('npos', c_int32), ('nnamed', c_int32)]


FOREIGN = CFUNCTYPE(c_bool, c_void_p, c_int64, c_char_p, POINTER(Args), POINTER(Value))

_TIKC, _VALUE, _ERROR, _ARGS = c_void_p, POINTER(Value), POINTER(Error), POINTER(Args)
_ARRAYS = POINTER(POINTER(Array))
# Name, result, arguments.
_COMPILER = [
    ('tikc_version', c_char_p, []),
    ('tikc_new', _TIKC, []),
    ('tikc_free', None, [_TIKC]),
    ('tikc_set_soc', c_bool, [_TIKC, c_char_p]),
    ('tikc_set_call', None, [_TIKC, c_char_p]),
    ('tikc_define', c_bool, [_TIKC, c_char_p, c_char_p]),
    ('tikc_choose', c_bool, [_TIKC, c_char_p, c_char_p]),
    ('tikc_set_env', None, [_TIKC, c_char_p, c_char_p]),
    ('tikc_add_folder', None, [_TIKC, c_char_p]),
    ('tikc_set_loader', None, [_TIKC, LOAD, c_void_p]),
    ('tikc_compile_text', c_bool, [_TIKC, c_char_p, c_char_p, c_size_t]),
    ('tikc_kernels', c_int, [_TIKC]),
    ('tikc_kernel_name', c_char_p, [_TIKC, c_int]),
    ('tikc_make', c_bool, [_TIKC, c_int, c_int, POINTER(c_void_p), POINTER(c_size_t)]),
    ('tikc_native', c_bool, [_TIKC, c_int, POINTER(POINTER(Kernel))]),
    ('tikc_diagnostics', c_char_p, [_TIKC, c_int]),
    ('tikc_errors', c_int64, [_TIKC]),
    ('tikc_warnings', c_int64, [_TIKC]),
    ('tikc_output', c_char_p, [_TIKC]),
    ('tikc_record_begin', c_bool, [_TIKC, c_char_p, FOREIGN, c_void_p]),
    ('tikc_record_source', c_uint32, [_TIKC, c_char_p, c_char_p, c_size_t]),
    ('tikc_record_frame', c_uint32, [_TIKC, c_uint32, Place, c_char_p]),
    ('tikc_record_at', None, [_TIKC, c_uint32, Place]),
    ('tikc_record_import', c_bool, [_TIKC, c_char_p, _VALUE]),
    ('tikc_record_names', c_bool, [_TIKC, _VALUE, _VALUE]),
    ('tikc_record_get', c_bool, [_TIKC, _VALUE, c_char_p, _VALUE]),
    ('tikc_record_set', c_bool, [_TIKC, _VALUE, c_char_p, _VALUE]),
    ('tikc_record_get_item', c_bool, [_TIKC, _VALUE, _VALUE, _VALUE]),
    ('tikc_record_set_item', c_bool, [_TIKC, _VALUE, _VALUE, _VALUE]),
    ('tikc_record_call', c_bool, [_TIKC, _VALUE, c_char_p, _ARGS, _VALUE]),
    ('tikc_record_operator', c_bool, [_TIKC, c_char_p, _VALUE, _VALUE, _VALUE]),
    ('tikc_record_truth', c_bool, [_TIKC, _VALUE, POINTER(c_bool)]),
    ('tikc_record_length', c_bool, [_TIKC, _VALUE, POINTER(c_int64)]),
    ('tikc_record_text', c_bool, [_TIKC, _VALUE, c_bool, _VALUE]),
    ('tikc_record_enter', c_bool, [_TIKC, _VALUE, c_char_p, _VALUE]),
    ('tikc_record_leave', c_bool, [_TIKC, _VALUE, c_bool]),
    ('tikc_record_exception', c_bool, [_TIKC, POINTER(c_char_p), _VALUE, POINTER(c_char_p)]),
    ('tikc_record_build', c_bool, [_TIKC]),
    ('tikc_record_next', None, [_TIKC]),
]
_RUNTIME = [
    ('tikrt_dtype', c_int, [c_char_p]),
    ('tikrt_dtype_name', c_char_p, [c_int]),
    ('tikrt_role_name', c_char_p, [c_int]),
    ('tik_launch_watched', c_bool, [POINTER(Kernel), _ARRAYS, c_int, WARN, c_void_p, _ERROR]),
    ('tik_load', c_void_p, [c_char_p, c_size_t, _ERROR]),
    ('tik_unload', None, [c_void_p]),
    ('tik_loaded_kernels', c_int, [c_void_p]),
    ('tik_loaded_kernel', POINTER(Kernel), [c_void_p, c_int]),
    ('tik_loaded_proof', None, [c_void_p, c_int, POINTER(c_int64), POINTER(c_int64)]),
    ('tik_loaded_run', c_bool, [c_void_p, c_int, _ARRAYS, POINTER(EmuOptions), _ERROR]),
]


def folders() -> List[str]:
    """Where the libraries are looked for, in this order: TIKC_LIBRARY_PATH (folders, separated as in PATH), the package's own folder,
    the lib folder of the prefix that it is installed in, and build/ of the tree that it belongs to."""
    here = os.path.dirname(os.path.abspath(__file__))
    out = [d for d in os.environ.get('TIKC_LIBRARY_PATH', '').split(os.pathsep) if d] + [here]
    above = here
    for _ in range(6):  # PREFIX/local/lib/python3.11/dist-packages/tikc
        above = os.path.dirname(above)
        out.append(os.path.join(above, 'lib'))
    tree = os.path.dirname(os.path.dirname(os.path.dirname(here)))  # TREE/runtime/python/tikc
    return out + [os.path.join(tree, 'build')]


def _open(name: str, functions: List[Any]) -> ctypes.CDLL:
    path: Optional[str] = None
    for folder in folders():
        for file in (f'lib{name}.so', f'lib{name}.so.0'):
            if path is None and os.path.exists(os.path.join(folder, file)):
                path = os.path.join(folder, file)
    try:
        lib = ctypes.CDLL(path or f'lib{name}.so.0')
        # Calls that record keep the interpreter's lock: those of several threads come one after another.
        recording = ctypes.PyDLL(path or f'lib{name}.so.0')
    except OSError as e:
        raise LibraryError(f'lib{name}.so cannot be loaded: {e}. Looked for it in {", ".join(folders())} and where the system keeps '
                           'libraries; the environment variable TIKC_LIBRARY_PATH names another folder') from e
    for function, result, arguments in functions:
        try:
            f = getattr(recording if function.startswith('tikc_record_') else lib, function)
        except AttributeError:
            raise LibraryError(f'{path or lib} has no {function}: it is of another version than this package') from None
        f.restype, f.argtypes = result, arguments
        setattr(lib, function, f)
    return lib


compiler = _open('tikc', _COMPILER)
runtime = _open('tikrt', _RUNTIME)


def text(p: Optional[bytes]) -> str:
    return (p or b'').decode('utf-8', 'replace')


def dtype_name(dtype: int) -> str:
    return text(runtime.tikrt_dtype_name(dtype))


def role_name(role: int) -> str:
    return text(runtime.tikrt_role_name(role))
