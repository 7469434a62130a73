# The types of te: the module tik, and any other name.
from typing import Any

from tbe import tik as tik

def __getattr__(name: str) -> Any: ...
