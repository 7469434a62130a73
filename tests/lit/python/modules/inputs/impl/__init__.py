"""Packages are never executed: only the lines that take a name from a file count."""
from .add import add
from .add import add as plus
from .dynamic.other import helper
raise RuntimeError("the init file was executed")
