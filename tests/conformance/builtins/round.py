print(round(2.5), round(3.5), round(-2.5), round(0.5), round(1.5), round(2.4), round(2.6), round(7), round(-0.4))
print(round(2.675, 2), round(1234.5678, 2), round(1234, -2), round(1250, -2), round(1350, -2), round(2.5, 0), round(1e300), round(5, 1), round(-1.45, 1))
print(type(round(2.5)).__name__, type(round(2.5, 1)).__name__, round(True))
print(round(1.5, -2 ** 63), round(-1.5, -2 ** 63 + 1), round(1.5, -400), round(-7.0, -1))
