# The types of tbe: the module tik, and any other name.
from typing import Any

from . import tik as tik

def __getattr__(name: str) -> Any: ...
