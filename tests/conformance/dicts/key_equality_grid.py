keys = [0, False, 0.0, -0.0, 1, True, 1.0, "1", "", None, (), (1,), (1.0,), (True,), 2 ** 64, float(2 ** 64)]
d = {}
for i, k in enumerate(keys):
    d[k] = i
print(d, len(d))
print([d[k] for k in keys])
