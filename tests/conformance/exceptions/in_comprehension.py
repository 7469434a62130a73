def safe(x):
    try:
        return 10 / x
    except ZeroDivisionError:
        return None
print([safe(x) for x in (1, 0, 4)])
try:
    print([1 / x for x in (1, 0)])
except ZeroDivisionError:
    print("out")
