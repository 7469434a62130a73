d = {"z": 1, "a": 2}
d["m"] = 3
d["z"] = 9
print(d, list(d))
del d["z"]
d["z"] = 0
print(d, d.popitem(), d)
for k in d:
    print(k, d[k])
for k, v in d.items():
    print(k, v)
print(list(reversed(list(d))), {**d, "m": 1, "n": 2})
