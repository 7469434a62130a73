def see(x):
    print("see", x, end="; ")
    return x


print(any(see(x) > 1 for x in [0, 1, 2, 3]))
print(all(see(x) < 1 for x in [0, 1, 2]))
print(next(see(x) for x in [5, 6]), next((x for x in []), "none"))
g = (see(x) * y for x in [1, 2, 3] if x != 2 for y in range(2))
print("made")
print(next(g), next(g), list(g), list(g))
print(list(zip((see(x) for x in [1, 2, 3]), (see(x) for x in [7]))))


def first(seq, test):
    return next((x for x in seq if test(x)), None)


print(first([1, 5, 9], lambda x: x > 3), first([], bool))


def makers(n):
    return (lambda: x + n for x in range(3)), (x + n for x in range(3))


functions, sums = makers(10)
print([f() for f in functions], list(sums))
n = 1
g = (x * n for x in [1, 2])
n = 5
print(list(g))
data = [1, 2]
g = (x for x in data)
data = [9]
print(list(g))
more = [1]
print(list(x for x in more if len(more) > 4 or more.append(x + 1) is None))
g = (1 // x for x in [1, 0, 2])
try:
    print(list(g))
except ZeroDivisionError:
    print("stopped", list(g))
try:
    (x for x in 5)
except TypeError as e:
    print(e)


class Table:
    rows = [1, 2]
    doubled = list(x * 2 for x in rows)


print(Table.doubled, sum(x for x in range(5)), sorted(x % 3 for x in range(5)), max(len(s) for s in ("a", "bcd")))
print([y := 1, any((y := x) > 2 for x in range(9)), y], (lambda: list(i for i in range(2)))())
print(dict((k, v) for k, v in zip("ab", (1, 2))), ",".join(str(x) for x in range(3)), set(x for x in "a"), tuple(x for x in (1, 2)))
g = (list(a) for a in [g2 for g2 in ["xy"]])
print(next(g), tuple(g))
