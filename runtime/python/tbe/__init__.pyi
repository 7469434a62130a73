from typing import Any

from . import tik as tik

def __getattr__(name: str) -> Any: ...
