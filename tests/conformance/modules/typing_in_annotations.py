from typing import Dict, List, Tuple, Union
def f(a: Dict[str, List[int]], *rest: Tuple[int, ...], **kw: Union[int, None]) -> Union[List[int], None]:
    b: List[int] = [a["k"][0]]
    return b
class A:
    x: Dict[str, int] = {}
print(f({"k": [1]}), A.x)
