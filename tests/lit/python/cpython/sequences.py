# Lists, tuples, ranges, slices, unpacking.
a = list(range(10))
for s in (None, 0, 1, 3, -1, -3, -20, 20, 9, 10):
    for e in (None, 0, 1, 5, -1, -4, -20, 20, 9, 10):
        for st in (None, 1, 2, 3, -1, -2, -7):
            print(s, e, st, a[s:e:st], "abcdefghij"[s:e:st], tuple(a)[s:e:st], list(range(10)[s:e:st]), range(10)[s:e:st])
print(a[0], a[-1], a[5], (1, 2, 3)[1], "hello"[1], "hello"[-2], range(5, 50, 7)[3], range(10, 0, -3)[-1])
b = [1, 2, 3]
b.append(4); b.extend([5, 6]); b.insert(0, 0); b.insert(-1, 9); b += (7,)
print(b, b.pop(), b.pop(0), b, b.index(9), b.count(2), len(b))
b.remove(9); b.reverse(); print(b, b.copy() == b, b.copy() is b)
b.sort(); print(b, sorted([3, 1, 2], reverse=True), sorted(["bb", "a", "ccc"], key=len), sorted([(1, "b"), (1, "a"), (0, "z")]))
c = [5, 3, 1, 4]
c.sort(key=lambda v: -v); print(c); c.sort(reverse=True); print(c)
c[1:3] = [10, 11, 12]; print(c); c[:] = []; print(c); c[0:0] = [1, 2]; print(c)
c = list(range(10)); c[::2] = [0] * 5; print(c); del c[1]; print(c); del c[2:4]; print(c); del c[::2]; print(c)
c = list(range(10)); del c[::-3]; print(c); c[-3:] = (7, 7); print(c)
x, y = 1, 2
x, y = y, x
(p, q), *rest = (3, 4), 5, 6, 7
*init, last = [1, 2, 3]
first, *mid, end = range(6)
[m, n] = "ab"
print(x, y, p, q, rest, init, last, first, mid, end, m, n)
i = 0
lst = [0, 0, 0]
i, lst[i] = 1, 5
print(i, lst)
l1 = l2 = [1]
l1 += [2]; print(l1, l2, l1 is l2); l1 = l1 + [3]; print(l1, l2)
print([1, 2] + [3], (1,) + (2, 3), [0] * 3, 2 * (1, 2), [[]] * 2, "ab" * 3, 3 * "x", [1] * -1, "a" * 0)
print([1, 2] == [1, 2], [1, 2] < [1, 3], [1, 2] < [1, 2, 0], (1, "a") == (1, "a"), [1] == (1,), [1, [2, 3]] == [1, [2, 3.0]])
print(2 in [1, 2], 5 not in (1, 2), "b" in "abc", "" in "abc", 4 in range(0, 10, 2), 5 in range(0, 10, 2), 3 in range(10, 0, -1), 0 in range(10, 0, -1))
print(list(enumerate("ab")), list(enumerate([5, 6], 1)), list(zip([1, 2, 3], "ab")), list(map(lambda v: v * 2, [1, 2])), list(reversed([1, 2, 3])), list(filter(None, [0, 1, "", 2])))
print(list(map(lambda u, v: u + v, [1, 2], [10, 20])), list(zip()), dict(zip("ab", [1, 2])), list(reversed(range(5))), list(reversed("abc")), tuple(reversed((1, 2))))
it = iter([1, 2, 3]); print(next(it), list(it), next(it, "end"))
print(any(v > 2 for v in [1, 2, 3]), all(v > 2 for v in [1, 2, 3]), any([]), all([]), sum(v for v in range(5)))
print([(r, s) for r in range(3) for s in range(r)], [v for v in range(20) if v % 2 if v % 3], [[v * w for v in range(3)] for w in range(3)])
print(range(5), range(1, 5), range(1, 10, 3), len(range(1, 10, 3)), len(range(0)), len(range(5, 0)), list(range(5, 0, -2)), range(3) == range(0, 3, 1))
print((), (1,), [], [()], ((1, 2), [3, (4,)]), tuple("ab"), list((1, 2)), [None, True, 1.5, "s"])
print([*range(3), 9], (*"ab", 1), {*[1]}, [1, 2, 3].index(3), (1, 2, 1).count(1), (1, 2, 1).index(1, 1))
t = [1, 2, 3]
for v in t:
    if len(t) < 6:
        t.append(v)
print(t)
print([w for w in [3, 1, 2]][0], (lambda *z: z)(1, 2), [v for v, in [(1,), (2,)]], [u + v for u, (v, w) in [(1, (2, 3))]])
print(len([1, 2]), len("abc"), len(()), len({}), len({1: 2}), len({1, 2, 2}))
print(max("hello"), min(["b", "a"]), max([1, 2], [1, 3]), sum([[1], [2]], []), list("ab") + list((1,)))
print(t.__contains__(2), t.__len__(), t.__getitem__(0)); t.__setitem__(0, 99); print(t[0])
own = [1]
own.append(own)
tab = {}
tab["me"] = tab
print(own, tab, (own,))
