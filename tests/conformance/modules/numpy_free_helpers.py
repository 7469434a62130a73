from functools import reduce as red
import math as mm
def prod(seq):
    return red(lambda a, b: a * b, seq, 1)
print(prod((2, 3, 4)), prod([]), mm.ceil(prod((3, 5)) / 4))
