# A float is a value, not an object: whether a NaN is in a list is asked by comparison only. (Keys of
# dictionaries are found again.)
nan = float("nan")
print(nan in [nan], [nan] == [nan], {nan: 1}[nan])
#| False False 1
