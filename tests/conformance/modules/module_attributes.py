import math
print(math.__name__, hasattr(math, "ceil"), hasattr(math, "nope"), getattr(math, "floor")(1.5), callable(math.sqrt))
f = math.ceil
print(list(map(f, [0.5, 1.5])))
