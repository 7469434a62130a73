print(True + True + True, sum([True, False, True]), True * 3.5, -True, True ** 2, 2 ** True)
print([10, 20][True], "ab"[False], True // 2, True % 2, True / 4, 1 - True)
print(True and 1, 1 and True, True == 1.0)
