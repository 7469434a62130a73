nan = float("nan")
d = {nan: 1}
print(d[nan], nan in d, nan == nan)
