import functools
data = [5, -3, 8, 0, -3, 2 ** 65, 2.5, True, -2 ** 65]
print(sorted(data), sorted(data, reverse=True), sorted(data, key=lambda v: -v), sorted(data, key=abs), sorted(data, key=lambda v: v % 3))
print(sorted([[2, 1], [1, 5], [1], []]), sorted(["b", "", "ab", "B"]), sorted([(1, "b"), (1, "a"), (0, "c")], key=lambda t: t[0]))
n = 200
x = 12345
values = []
for i in range(n):
    x = (x * 1103515245 + 12345) % 2 ** 31
    values.append(x % 50)
s = sorted(range(n), key=lambda i: values[i])
print(all((values[a], a) < (values[b], b) for a, b in zip(s, s[1:])), [values[i] for i in s] == sorted(values))
