from typing import Any

from tbe import tik as tik

def __getattr__(name: str) -> Any: ...
