errors = (KeyError, ValueError)
def pick():
    return errors
try:
    int("x")
except pick() as e:
    print(type(e).__name__)
try:
    {}["k"]
except errors:
    print("one of two")
