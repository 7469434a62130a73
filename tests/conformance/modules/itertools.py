import itertools
from itertools import permutations
print(list(permutations([1, 2, 3])), list(permutations("ab", 1)), len(list(permutations(range(5)))))
print(list(itertools.product([1, 2], "ab")), list(itertools.chain([1], (2, 3))), list(itertools.combinations([1, 2, 3], 2)))
