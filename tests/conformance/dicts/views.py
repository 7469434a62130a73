d = {"a": 1, "b": 2}
k = d.keys()
v = d.values()
d["c"] = 3
print(list(k), list(v), len(k), "c" in k, 3 in v, ("a", 1) in d.items())
print(sorted(d.keys()), sorted(d.values(), reverse=True), max(d.values()), sum(d.values()), d.keys(), d.values(), d.items())
print(d.keys() == {"a": 0, "b": 0, "c": 0}.keys())
