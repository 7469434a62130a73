"""Where the program is: its frames become places and chains of calls of the compiler."""
from __future__ import annotations

import ast
import dis
import linecache
import os
import sys
import sysconfig
import warnings
from types import CodeType, FrameType
from typing import Any, Dict, List, Optional, Set, Tuple

from . import _native
from ._native import compiler
from .diagnostics import CompileWarning

_HERE = os.path.dirname(os.path.abspath(__file__))
_LIBRARIES = tuple({sysconfig.get_path(p) for p in ('stdlib', 'purelib', 'platlib')} | {'/usr/lib/python3', '<frozen'})

Span = Tuple[int, int, int, int]  # line, column, end line, end column: from 1


class Places:
    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.sources: Dict[str, int] = {}
        self.lines: Dict[str, List[bytes]] = {}
        self.spans: Dict[int, Tuple[CodeType, List[Optional[Span]]]] = {}
        self.chains: Dict[Tuple[int, int, int, str], int] = {}
        self.arguments: Dict[Tuple[int, int], Any] = {}
        self.stores: Dict[int, Dict[int, str]] = {}  # of code objects that spans keeps
        # By frame and name: what a name of the program has held, and the offset of the instruction that made it.
        self.held: Dict[int, Dict[str, Tuple[CodeType, int, Any, str]]] = {}
        self.told: Set[Tuple[CodeType, int]] = set()

    def here(self, npos: int = -1, names: Tuple[str, ...] = ()) -> Any:
        """Says where the innermost frame of the program is; returns the places of the arguments of the call there, if it is one with
        that many and is not a method that makes others of them."""
        frames = self._frames()
        chain = 0
        for outer, inner in zip(frames[:0:-1], frames[-2::-1]):
            key = (chain, id(outer.f_code), outer.f_lasti, inner.f_code.co_name)
            known = self.chains.get(key)
            if known is None:
                known = self.chains[key] = compiler.tikc_record_frame(self.handle, chain, self.place(outer), key[3].encode())
            chain = known
        if not frames:
            return None
        if id(frames[0]) in self.held:
            self._tell_rebound(frames[0])
        compiler.tikc_record_at(self.handle, chain, self.place(frames[0]))
        return self._arguments(frames[0], npos, names) if npos >= 0 else None

    @staticmethod
    def _frames() -> List[FrameType]:
        """The program's frames, innermost first, up to where a library called it."""
        f: Optional[FrameType] = sys._getframe(2)
        while f is not None and f.f_code.co_filename.startswith(_HERE):
            f = f.f_back
        out: List[FrameType] = []
        while f is not None and (not out or not f.f_code.co_filename.startswith(_LIBRARIES)):
            if f.f_code.co_filename.startswith(_HERE):
                break  # a function of the program that the compiler's library called
            out.append(f)
            f = f.f_back
        return out

    def span(self, f: FrameType) -> Optional[Span]:
        code = f.f_code
        known = self.spans.get(id(code))
        if known is None:
            known = self.spans[id(code)] = code, self._positions(code)
        spans = known[1]
        i = f.f_lasti // 2
        if i < len(spans):
            return spans[i]
        return (f.f_lineno, 1, f.f_lineno, 1 << 20)

    @staticmethod
    def _positions(code: CodeType) -> List[Optional[Span]]:
        """By instruction; empty before Python 3.11, which knows lines only."""
        out: List[Optional[Span]] = []
        for line, end, column, end_column in (code.co_positions() if hasattr(code, 'co_positions') else ()):
            if line is None or end is None or column is None or end_column is None:
                out.append((line, 1, line, 1 << 20) if line else None)
            else:
                out.append((line, column + 1, end, end_column + 1))
        return out

    def source(self, file: str) -> int:
        if file not in self.sources:
            try:
                with open(file, 'rb') as f:
                    text = f.read()
            except OSError:
                text = ''.join(linecache.getlines(file)).encode()
            self.sources[file] = compiler.tikc_record_source(self.handle, os.fsencode(file), text, len(text)) if text else 0
            self.lines[file] = text.split(b'\n')
        return self.sources[file]

    def place(self, f: FrameType) -> _native.Place:
        return self._of(self.source(f.f_code.co_filename), self.span(f))

    @staticmethod
    def _of(source: int, span: Optional[Span]) -> _native.Place:
        return _native.Place(source, *(span or (0, 0, 0, 0)))

    def _arguments(self, f: FrameType, npos: int, names: Tuple[str, ...]) -> Any:
        key = id(f.f_code), f.f_lasti
        if key not in self.arguments:
            self.arguments[key] = self._find_arguments(f)
        found = self.arguments[key]
        return found[2] if found and found[:2] == (npos, names) else None

    def _find_arguments(self, f: FrameType) -> Any:
        source = self.source(f.f_code.co_filename)
        span = self.span(f)
        call = _call(self.lines[f.f_code.co_filename], span) if span else None
        if call is None or span is None or any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return None
        values = [*call.args, *[k.value for k in call.keywords]]
        places = (_native.Place * max(len(values), 1))(*[self._of(source, _span(v, span)) for v in values])
        return len(call.args), tuple(k.arg for k in call.keywords), places

    def name_after_with(self) -> Optional[str]:
        """The plain name after `as` of the with statement that is being entered."""
        frames = self._frames()
        if not frames:
            return None
        code = frames[0].f_code
        if id(code) not in self.stores:
            self.stores[id(code)] = _stores(code)
        return self.stores[id(code)].get(frames[0].f_lasti)


    def hold(self, v: Any, scalar: str) -> None:
        """Remembers that the plain name which the running statement assigns holds a Scalar, whose name is given."""
        frames = self._frames()
        if not frames:
            return
        f = frames[0]
        if id(f.f_code) not in self.stores:
            self.span(f)
            self.stores[id(f.f_code)] = _stores(f.f_code)
        name = self.stores[id(f.f_code)].get(f.f_lasti)
        if name:
            self.held.setdefault(id(f), {})[name] = f.f_code, f.f_lasti, v, scalar

    def _tell_rebound(self, f: FrameType) -> None:
        """Warns of names that held a Scalar and have become numbers since. Frames have no other identity than their address, which a
        later one may have; what lies behind the instruction that made the Scalar has passed it."""
        names = self.held[id(f)]
        for name, (code, made, scalar, called) in list(names.items()):
            now = f.f_locals.get(name)
            if code is f.f_code and (now is scalar or f.f_lasti <= made):
                continue
            del names[name]
            if code is f.f_code and type(now) in (int, float, bool):
                line = _line_of_store(code, name, made, f.f_lasti) or f.f_lineno
                if (code, line) in self.told:
                    continue
                self.told.add((code, line))
                text = f"'{name}' has held the Scalar '{called}' and becomes the number {now!r}; the Scalar keeps its value"
                warnings.warn_explicit(f'{code.co_filename}:{line}: warning: {text} [scalar-rebound]\n'
                                       f'help: {name}.set_as({now!r}) sets the Scalar; a number of its own has another name\n',
                                       CompileWarning, code.co_filename, line)
        if not names:
            del self.held[id(f)]


STORES = ('STORE_FAST', 'STORE_NAME', 'STORE_GLOBAL', 'STORE_DEREF')


def _line_of_store(code: CodeType, name: str, after: int, before: int) -> Optional[int]:
    """The line of the last instruction between two that stores into a name."""
    found = line = None
    starts = dict(dis.findlinestarts(code))
    made = False
    for i in dis.get_instructions(code):
        line = starts.get(i.offset, line)
        if after < i.offset < before and i.opname in STORES and i.argval == name:
            found, made = (line if made else None), True  # the first one stores the Scalar itself
    return found


def _stores(code: CodeType) -> Dict[int, str]:
    """By the offset of an instruction: the plain name that the next one stores into."""
    instructions = list(dis.get_instructions(code))
    return {a.offset: str(b.argval) for a, b in zip(instructions, instructions[1:])
            if b.opname in STORES}


def _call(lines: List[bytes], span: Span) -> Optional[ast.Call]:
    """The call whose text is at a place."""
    line, column, end, end_column = span
    text = lines[line - 1:end]
    if len(text) != end - line + 1:
        return None
    text[-1] = text[-1][:end_column - 1]
    text[0] = text[0][column - 1:]
    try:
        tree = ast.parse(b'(' + b'\n'.join(text) + b')', mode='eval')
    except (SyntaxError, ValueError):
        return None
    return tree.body if isinstance(tree.body, ast.Call) else None


def _span(node: Any, of: Span) -> Span:
    """The place of a node of _call in the file."""
    def column(line: int, offset: int) -> int:
        return of[1] + offset - 1 if line == 1 else offset + 1
    return (of[0] + node.lineno - 1, column(node.lineno, node.col_offset), of[0] + node.end_lineno - 1,
            column(node.end_lineno, node.end_col_offset))
