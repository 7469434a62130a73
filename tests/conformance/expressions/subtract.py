print(5 - 3, 3 - 5, 2.5 - 1, 1 - 2.5, True - 1, True - True)
print({1, 2, 3} - {2})
print(0 - 2 ** 64)
