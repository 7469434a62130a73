def check(n):
    if n % 3 == 0:
        raise ValueError("multiple of three")
    return n


caught = 0
for i in range(600000):
    try:
        check(i)
    except ValueError:
        caught += 1
    finally:
        caught += 0
for i in range(300000):
    try:
        caught += {}[i]
    except KeyError as e:
        caught += e.args[0] & 1
print(caught)
