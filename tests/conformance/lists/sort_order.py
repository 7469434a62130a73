# Sorting: stable in both directions, runs, keys of one kind and of several, what a key may do.
words = ["pear", "fig", "apple", "kiwi", "date", "plum", "lime", "nut", "ox", "", "fig", "a" * 70, "a" * 71, "a" * 69 + "b"]
print(sorted(words) == sorted(sorted(words), reverse=True)[::-1], sorted(words)[:4], max(words, key=len) == "a" * 71)
print(sorted(words, key=len)[:8], sorted(words, key=len, reverse=True)[-8:])
pairs = [(i * 7 % 5, i) for i in range(23)]
print(sorted(pairs, key=lambda p: p[0]))
print(sorted(pairs, key=lambda p: p[0], reverse=True))
print(sorted(pairs) == sorted(pairs, key=lambda p: (p[0], p[1])), sorted(pairs, reverse=True)[:3])
for n in (0, 1, 2, 7, 8, 9, 10, 17, 33, 100):
    up = list(range(n))
    saw = [i % 9 - i // 3 for i in range(n)]
    wanted = []
    for x in saw:
        at = len(wanted)
        while at > 0 and wanted[at - 1] > x:
            at -= 1
        wanted.insert(at, x)
    print(n, sorted(up) == up, sorted(up, reverse=True) == up[::-1], sorted(up[::-1]) == up, sorted(saw) == wanted,
          sorted(saw, reverse=True) == wanted[::-1])
print(sorted([3, 1.5, True, 2**70, -2**70, 0, 0.0, False]), sorted([2.5, -0.0, 0.0, 1e300, -1e300, float("inf")]))
print(sorted([(1, "b"), (1, "a"), (0, "z"), (1,), ()]), sorted([[2], [1, 5], [1]]), sorted([(1.5, 2), (1, 3), (1.5, 1)]))
print(sorted([("same",) * 9 + (i,) for i in (3, 1, 2)])[0][-1], sorted([(float("nan"), 1)])[0][1])


class Version:
    asked = 0

    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        Version.asked += 1
        return self.n < other.n

    def __repr__(self):
        return "v%d" % self.n


versions = [Version(n) for n in (3, 1, 2, 9, 7, 8, 4, 5, 6, 0)]
print(sorted(versions), sorted(versions, reverse=True), Version.asked > 9)
print(sorted(versions, key=lambda v: (v.n % 2, v)))
a = [3, 1, 2]
try:
    a.sort(key=lambda x: 1 // (x - 1))
except ZeroDivisionError:
    print("key failed", a)
try:
    [1, "a", 2].sort()
except TypeError:
    print("no order")
b = [2, 1, 3]
try:
    b.sort(key=lambda x: b.append(x) or x)
except ValueError as e:
    print("ValueError", str(e).split()[0])
i, j = 1, 2
i, j = j, i
k = [1, 2, 3]
i, k[i], k[0] = 0, 9, i
print(i, j, k, 3 in k, 2 ** 62, 2 ** 63, (-2) ** 63, (-2) ** 64, 0 ** 0, (-1) ** 10**9, 3 ** 39, 3 ** 40, hex(-255), bin(-2**63), oct(8), str(-2**63))
d = {i * 1024: i for i in range(300)}
s = {i << 40 for i in range(300)} | {-1, -2, 2**61 - 1}
print(all(d[i * 1024] == i for i in range(300)), sum(d.values()), (5 << 40) in s, (5 << 39) in s, len(s), {1: "a", 1.0: "b", True: "c"})
small = {}
for i in range(12):
    small[i] = i
    del small[i // 2]
    small[i // 2] = -i
print(small, "Straße ÄB cd-eF".upper()[-5:], "aB cD".swapcase(), "it's A tEST".title(), "xYZ".capitalize())
