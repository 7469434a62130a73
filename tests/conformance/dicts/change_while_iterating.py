d = {"a": 1, "b": 2}
for k in list(d):
    d[k + k] = d.pop(k)
print(d)
try:
    for k in d:
        d[k + "x"] = 1
except RuntimeError:
    print("RuntimeError")
