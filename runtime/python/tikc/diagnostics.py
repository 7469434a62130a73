"""What the compiler and a run report, as objects."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Sequence, Tuple


@dataclass(frozen=True)
class Place:
    """A piece of a source text: lines and columns begin at 1, columns count bytes, the end is one past the last. Line 0 is the whole
    file; file "" is no place at all."""
    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f'{self.file}:{self.line}:{self.column}' if self.line else self.file


@dataclass(frozen=True)
class Note:
    place: Place
    message: str

    def __str__(self) -> str:
        return f'{self.place}: note: {self.message}' if self.place.file else f'note: {self.message}'


@dataclass(frozen=True)
class Call:
    """A call of a function of the program, on the way to what is reported."""
    place: Place
    callee: str


@dataclass(frozen=True)
class Fix:
    """A replacement of source text with which the fault is mended."""
    place: Place
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """A finding of the compiler. name is its stable name ('range-nburst', see `tikc explain`), severity is 'error', 'warning' or
    'note'. calls begin at the innermost one."""
    name: str
    severity: str
    message: str
    place: Place
    rule: str = ''
    help: str = ''
    notes: Tuple[Note, ...] = ()
    calls: Tuple[Call, ...] = ()
    fixes: Tuple[Fix, ...] = ()

    @property
    def file(self) -> str:
        return self.place.file

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def column(self) -> int:
        return self.place.column

    def __str__(self) -> str:
        where = f'{self.place}: ' if self.place.file else ''
        return f'{where}{self.severity}: {self.message} [{self.name}]'


class TikcError(RuntimeError):
    """What all errors of tikc have in common. It is a RuntimeError, since that is what programs for the original toolkit expect."""


class CompileError(TikcError):
    """A program that does not compile. diagnostics has the errors and what else was found; the text is what the tool prints."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.diagnostics: List[Diagnostic] = list(diagnostics)


class BlobError(TikcError):
    """Bytes that are no blob, or one that the verifier refuses."""


class RunError(TikcError):
    """A rule that a run broke. name is the rule's, place is 'file:line:column' of the statement or '', where has the core, the
    variables of the loops around it and the Scalars that it read."""

    def __init__(self, name: str, message: str, place: str, where: str) -> None:
        super().__init__((place + ': ' if place else '') + f'error: {message} [{name}]' + (f'\n  in {where}' if where else ''))
        self.name = name
        self.message = message
        self.place = place
        self.where = where


class CompileWarning(UserWarning):
    """A warning of the compiler about a program that records kernels."""


class RunWarning(UserWarning):
    """Something that a run did and that is worth a look: 'uninit-read', 'nop', ..."""


def _place(d: Dict[str, Any]) -> Place:
    return Place(d['file'], d['line'], d['column'], d['end_line'], d['end_column'])


def _diagnostic(d: Dict[str, Any]) -> Diagnostic:
    return Diagnostic(name=d['name'], severity=d['level'], message=d['message'], place=_place(d), rule=d['rule'], help=d['help'],
                      notes=tuple(Note(_place(n), n['message']) for n in d['notes']),
                      calls=tuple(Call(_place(c), c['callee']) for c in d['calls']),
                      fixes=tuple(Fix(_place(f), f['text']) for f in d['fixes']))


def parse(lines: str) -> List[Diagnostic]:
    """Diagnostics of their JSON form, an object on each line."""
    return [_diagnostic(json.loads(line)) for line in lines.splitlines() if line]
