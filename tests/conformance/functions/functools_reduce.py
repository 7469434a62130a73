from functools import reduce
print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(lambda a, b: a * b, [], 1))
print(reduce(lambda a, b: a + [b], (1, 2), []), reduce(max, [3, 9, 2]), reduce(lambda a, b: a, [5]))
print(reduce(lambda a, b: a - b, range(5), 100))
try:
    reduce(lambda a, b: a, [])
except TypeError as e:
    print("TypeError")
