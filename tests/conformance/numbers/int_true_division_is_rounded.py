print((2 ** 53 + 1) / 1, (2 ** 64 - 1) / 2, 10 ** 25 / 3, 2 ** 1000 / 2 ** 999, (10 ** 400 + 1) / 10 ** 400, -(2 ** 70 + 1) / 3)
try:
    10 ** 400 / 1
except OverflowError:
    print("OverflowError")
