print(12 & 10, -1 & 255, -2 & -4, 0 & 5, True & False, True & True)
print((2 ** 70 + 5) & 7, -1 & 2 ** 66, {1, 2} & {2, 3})
print(type(True & True).__name__, type(True & 1).__name__)
