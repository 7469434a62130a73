print(abs(-5), abs(5), abs(-2.5), abs(-0.0), abs(True), abs(-2 ** 70))
print(divmod(7, 3), divmod(-7, 3), divmod(7, -3), divmod(7.5, 2), divmod(2 ** 70, 1000), divmod(-1, 2 ** 65))
print(pow(2, 3), pow(2, -1), pow(2.0, 3), pow(3, 4, 5), pow(2, 100, 7), pow(-2, 3, 5))
