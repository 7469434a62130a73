print(1 and 2, 0 and 2, 1 or 2, 0 or 2, "" or "x", [] and 1)
print(None or 0 or "" or "last", 1 and "a" and [2])
print(None and 1, 0 or None, 1 or 1 / 0, 0 and 1 / 0)
