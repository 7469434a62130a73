import math
import math as m
from math import ceil, floor as down
from math import (
    sqrt,
    pi as circle,
)
print(math is m, ceil(1.1), down(1.9), sqrt(9.0), circle == math.pi, m.ceil is ceil)
