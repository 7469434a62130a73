print(isinstance(1, int), isinstance(1, float), isinstance("s", (int, str)), isinstance([], list), isinstance({}, dict), isinstance(None, type(None)))
print(isinstance(True, int), isinstance(1.0, (int, (float, str))), isinstance(ValueError(), Exception), isinstance(int, type), isinstance(1, object))
