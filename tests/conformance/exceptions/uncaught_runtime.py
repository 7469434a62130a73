def check(x):
    if x > 3:
        raise RuntimeError("limit exceeded: %d" % x)
for i in range(10):
    check(i)
