import dataclasses
from dataclasses import dataclass, field
from typing import List, Optional


@dataclass
class Point:
    x: int
    y: int = 3
    tags: List[str] = field(default_factory=list)

    def total(self):
        return self.x + self.y


@dataclass
class Named(Point):
    name: Optional[str] = None

    def __post_init__(self):
        self.name = self.name or "none"


@dataclass(frozen=True, order=True)
class Size:
    rows: int
    columns: int = 1


a, b = Point(1), Point(1, y=3)
a.tags.append("t")
print(a, b, a == b, a.total(), Point(2).tags)
print(Named(5), Named(x=1, name="n").name, dataclasses.asdict(Named(1, tags=["q"])), dataclasses.astuple(b))
print(Size(1) < Size(2), sorted([Size(2, 1), Size(1, 9)]), {Size(1): "one"}[Size(1, 1)], dataclasses.replace(Size(4), columns=7))
print([f.name for f in dataclasses.fields(Named)], dataclasses.is_dataclass(a), dataclasses.is_dataclass(3))
for wrong in (lambda: Point(), lambda: Point(1, 2, [], 4), lambda: Point(1, z=2)):
    try:
        wrong()
    except TypeError:
        print("wrong arguments")
try:
    Size(1).rows = 2
except dataclasses.FrozenInstanceError:
    print("frozen")
