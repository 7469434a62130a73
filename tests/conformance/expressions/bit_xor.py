print(12 ^ 10, -1 ^ 5, 5 ^ 5, True ^ True, True ^ False, {1, 2} ^ {2, 3})
print(2 ** 70 ^ 2 ** 70 ^ 3, -2 ** 66 ^ 1)
