a = None
b = [1]
c = b
print(a is None, b is not None, b is c, b is [1], True is True)
print((1 > 0) is True, (1 < 0) is False, type(1) is int, a is not False)
