print(int("11", 2))
print(int("11", 99))
