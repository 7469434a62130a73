import enum
from enum import Enum, IntEnum


class Level(IntEnum):
    LOW = 1
    MID = 2
    HIGH = enum.auto()


class Format(str, Enum):
    ND = "ND"
    NZ = "FRACTAL_NZ"


print(Level.HIGH.value, Level.LOW < Level.HIGH, Level.MID == 2, Level(3).name, Level.MID + 1, 10 - Level.LOW, [x.name for x in Level])
print([5, 6, 7][Level.LOW], list(range(Level.HIGH)), isinstance(Level.LOW, IntEnum), int(Level.MID), {Level.LOW: "l"}[1])
print(Format.ND == "ND", "FRACTAL_NZ" == Format.NZ, Format("ND") is Format.ND, Format.NZ.value, {Format.ND: 1}["ND"], Format.ND != "x")
