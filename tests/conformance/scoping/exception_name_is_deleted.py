e = "before"
try:
    raise ValueError("v")
except ValueError as e:
    print(e)
try:
    e
    print("still there")
except NameError:
    print("deleted")
