try:
    print("before")
    raise ValueError("bad")
    print("never")
except ValueError as e:
    print("caught", e)
print("after")
