"""Makes tbe, te, topi and the names that operators take from impl.util importable, as modules of tikc's library: programs for the
original toolkit then run under Python as they are. The packages te and tbe, which are installed with this one, import it, so a program
needs nothing more. Where the original toolkit comes first in the path, it wins."""
from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from typing import Any, Dict, Optional, Sequence

from . import record
from .kernel import Kernel

ROOTS = ('tbe', 'te', 'topi', 'mindspore')
# Packages above a module of the library, which have nothing else unless files are found for them.
PACKAGES = ('impl', 'impl.util')
ADAPTER = 'impl.util.platform_adapter'


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the library. adapter: only the one that stands between operators and the toolkit, which comes before the
    file of that name; all others come last, so files win."""

    def __init__(self, adapter: bool) -> None:
        self.adapter = adapter

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        ours = name == ADAPTER or name.startswith(ADAPTER + '.')
        ours = ours or not self.adapter and (name.split('.')[0] in ROOTS or name in PACKAGES)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if ours else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return module(spec.name)

    def exec_module(self, module: Any) -> None:
        pass


def module(name: str) -> Any:
    """A new module object for a name of the library."""
    if name in PACKAGES:
        return record.TikModule(None, name, None)
    found = record.import_module(name)
    value = found.__dict__['_value']
    return record.TikModule(record.session(), name, value)


_finders = Finder(adapter=True), Finder(adapter=False)


def install() -> None:
    if _finders[0] not in sys.meta_path:
        sys.meta_path.insert(0, _finders[0])
        sys.meta_path.append(_finders[1])


def kernels() -> Dict[str, Kernel]:
    """The kernels that the program has built, by name; of those with the same name the last one."""
    return record.session().kernels


install()
