print("{a}{b}".format(**{"a": 1, "b": 2}), "{0[k]} {1[0]}".format({"k": 5}, [6]))
