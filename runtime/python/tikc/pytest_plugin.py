"""For pytest: failures show the compiler's diagnostics, with the lines of the kernel, also of an error that the exception of the test
hides. It is loaded where the package is installed; -p no:tikc does without it."""
from __future__ import annotations

import os
from typing import Any, Generator, List, Optional

import pytest

from .diagnostics import CompileError, RunError, TikcError


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup('tikc', 'kernels compiled by tikc')
    group.addoption('--tikc-soc', metavar='NAME', help='the processor of kernels that scripts record (TIKC_SOC)')
    group.addoption('--tikc-backend', choices=('host', 'emulator'), help='where start_debug runs kernels (TIKC_BACKEND)')


def pytest_configure(config: pytest.Config) -> None:
    for option, variable in (('--tikc-soc', 'TIKC_SOC'), ('--tikc-backend', 'TIKC_BACKEND')):
        value = config.getoption(option)
        if value:
            os.environ[variable] = value


def _error(e: Optional[BaseException]) -> Optional[TikcError]:
    """The error of tikc that an exception is, or comes from."""
    seen: List[int] = []
    while e is not None and id(e) not in seen:
        if isinstance(e, TikcError):
            return e
        seen.append(id(e))
        e = e.__cause__ or e.__context__
    return None


def _section(e: TikcError, shown: bool) -> str:
    """What a report says of an error, whose text it may have shown already."""
    if isinstance(e, CompileError):
        lines = [] if shown else [e.text]
        lines += [f'fix: {f.place}: {f.text!r}' for d in e.diagnostics for f in d.fixes]
        return '\n'.join(lines)
    if isinstance(e, RunError):
        return str(e) + _source_line(e.place)
    return '' if shown else str(e)


def _source_line(place: str) -> str:
    """The line of 'file:line:column', as the compiler prints it."""
    file, line, column = (place.rsplit(':', 2) + ['', ''])[:3]
    try:
        with open(file, encoding='utf-8') as f:
            text = f.read().split('\n')[int(line) - 1]
    except (OSError, ValueError, IndexError):
        return ''
    return f'\n{line:>6} | {text}\n       | {" " * (int(column) - 1)}^'


@pytest.hookimpl(hookwrapper=True)  # type: ignore[misc]
def pytest_runtest_makereport(item: pytest.Item, call: 'pytest.CallInfo[Any]') -> Generator[None, Any, None]:
    outcome = yield
    if call.excinfo is not None:
        error = _error(call.excinfo.value)
        shown = error is call.excinfo.value
        if error is not None and _section(error, shown):
            outcome.get_result().sections.append(('tikc', _section(error, shown)))
