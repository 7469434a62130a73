try:
    raise KeyError("first")
finally:
    print("cleanup")
