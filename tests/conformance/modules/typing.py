from typing import Union, Iterable, List, Optional
def f(x: Union[int, float], y: Iterable = (), z: Optional[List[int]] = None) -> "int":
    return x
print(f(3))
