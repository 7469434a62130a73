import operator
from functools import reduce
from operator import mul
print(operator.eq(1, 1), operator.ne([1], [1]), operator.eq((1, 2), (1, 2)), reduce(mul, [1, 2, 3, 4]), operator.add(1, 2), operator.sub(5, 2), operator.lt(1, 2))
print(operator.itemgetter(1)([5, 6]), reduce(operator.mul, [2] * 10, 1))
