try:
    raise KeyError("first")
except KeyError:
    raise TypeError("second error")
