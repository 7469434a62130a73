import math
first = math
import math
print(first is math)
def f():
    import math as inner
    return inner is first
print(f())
import functools, operator as op, copy
print(functools.reduce(op.add, [1, 2]), copy.copy([1]))
