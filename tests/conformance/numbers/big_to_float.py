print(float(2 ** 53 + 1), float(2 ** 64 - 1), float(10 ** 23), 3.4 * 10 ** 38, -2 ** 127 * 1.9999999, 2 ** 100 * 1.0, 10 ** 22 + 0.5)
try:
    float(10 ** 400)
except OverflowError:
    print("OverflowError")
