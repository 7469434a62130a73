import math
print(math.ceil(1.2), math.ceil(-1.2), math.ceil(3), math.floor(1.8), math.floor(-1.2), math.floor(5), math.trunc(-1.7), math.ceil(7 / 2), math.ceil(2 ** 70 / 1))
print(type(math.ceil(1.0)).__name__, math.ceil(100 / 3), math.ceil(0.1 * 3), math.floor(1e20), math.ceil(-0.0))
