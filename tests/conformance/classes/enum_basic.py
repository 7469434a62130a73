from enum import Enum
class Color(Enum):
    RED = 1
    GREEN = 2
    NAME = "n"
print(Color.RED.value, Color.NAME.value, Color.RED.name, Color.RED is Color.RED, Color.RED == Color.GREEN)
print(Color.RED, [c.name for c in Color], Color(2) is Color.GREEN, Color["RED"].value)
d = {Color.RED: "r"}
print(d[Color.RED], Color.RED == 1, Color.RED in d)
