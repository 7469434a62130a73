# Dictionaries and sets.
d = {"a": 1, "b": 2}
d["c"] = 3; d["a"] = 10
print(d, d["a"], d.get("z"), d.get("z", 5), d.get("a"), "a" in d, "z" not in d, len(d), list(d), list(d.keys()), list(d.values()), list(d.items()))
del d["b"]; d["b"] = 7
print(d, d.pop("c"), d.pop("nope", None), d, d.setdefault("q", []), d.setdefault("a", 0), d)
d.update({"x": 1}, y=2); d.update([("z", 3)]); print(d, d.copy() == d, d.copy() is d, d == dict(d), d != {})
print(d.keys(), d.values(), d.items(), "a" in d.keys(), len(d.items()), sorted(d.keys() & {"a", "x"}), d.keys() == {"a", "b", "q", "x", "y", "z"})
for k, v in d.items():
    print(k, v)
for k in d:
    print(k, end=" ")
print(sep="", end="\n")
print(dict(a=1, b=2), dict([("k", 1)]), dict({"a": 1}, b=2), {**{"a": 1}, "b": 2}, {k: v for k, v in zip("ab", [1, 2])}, {}, dict())
n = {1: "i", 1.5: "f", "s": "s", (1, 2): "t", None: "n", True: "bool"}
print(n, n[1.0], n[(1, 2)], n[None], {(): 1}, {2: {3: {}}})
n.clear(); print(n, bool(n), bool({0: 0}))
big = {i: i * i for i in range(1000)}
for i in range(0, 1000, 3):
    del big[i]
print(len(big), sum(big.values()), 500 in big, 501 in big, big[1], list(big)[:5], big.popitem())
s = {3, 1, 2}
s.add(5); s.add(1); s.discard(9); s.remove(3)
print(sorted(s), len(s), 1 in s, sorted(s | {10}), sorted(s & {1, 2}), sorted(s - {1}), sorted(s ^ {1, 99}), s == {1, 2, 5}, {1} < {1, 2}, {1, 2} <= {1, 2}, set(), set([1, 1]), sorted(set("hello")))
print(s.issubset({1, 2, 5, 6}), s.issuperset({1}), s.isdisjoint({7}), sorted(s.union([8], [9])), sorted(s.intersection([1, 2])), sorted(s.difference([1])), {1}, {"x"})
t = s; t |= {77}; print(77 in s, sorted({v % 3 for v in range(10)}), "x" not in {"a", "b"})
print({"a": 1} == {"a": 1.0}, {"a": [1]} == {"a": [1]}, {1, 2} == {2, 1}, {1: 2} | {3: 4})
desc = {"shape": (32, 128), "dtype": "float16"}
print(desc.get("shape")[0] * desc.get("shape")[1], desc.get("dtype").lower(), desc.__contains__("shape"))
k = {"b": 1, "a": 2}
print(sorted(k), sorted(k.items(), key=lambda kv: kv[1]), max(k, key=k.get), min(k.values()), list(reversed(k)), [*k], {**k})
for items in ([3, 1, 2], [9, 1, 17, 25, 8], list(range(100, 0, -7)), [-1, -2, 5, 0], [True, 5, 64, 128, 8, 16, 32, 7], [i * i for i in range(200)],
              [2**40, 3, 2**33, 8, 11], [i * 1000003 for i in range(50)], [5, 5, 5]):
    u = set()
    for i in items:
        u.add(i)
    print(u, list(u), sorted(u), max(u), sum(u), [v for v in u][:1], tuple(u)[:3])
print(list({4, 3, 2}), {1, 0, -3}, {10, 100, 1000}, set(range(20)), set([7, 3, 11, 19]))
u = {5, 3, 9}; print(u.pop(), u)
try:
    for v in u:
        u.add(v + 100)
except RuntimeError:
    print("changed")
