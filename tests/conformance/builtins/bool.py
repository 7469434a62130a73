print(bool(), bool(0), bool(2), bool("False"), bool([]), bool([0]), bool(None), bool(0.0), bool(float("nan")))
print(isinstance(bool(1), int), bool(1) is True, str(bool("")))
