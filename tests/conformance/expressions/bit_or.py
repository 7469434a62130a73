print(12 | 10, -8 | 3, 0 | 5, True | False, True | 2)
print(2 ** 70 | 1, -2 ** 70 | 1, {1} | {2})
print(type(False | True).__name__)
