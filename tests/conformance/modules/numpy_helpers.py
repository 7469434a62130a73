import numpy as np
from numpy import prod
print(int(np.prod([2, 3, 4])), int(prod((5,))), int(np.prod([])), int(np.gcd(12, 18)))
print(int(np.ceil(7 / 2)), float(np.sqrt(16.0)), np.inf, -np.inf, int(np.ceil(10 / 4).astype(np.int32)))
print(float(np.finfo(np.float32).max), float(np.finfo(np.float32).min))
print(int(np.prod((2, 3, 4)[1:])), np.inf > 10 ** 300)
