def f(a, b=2):
    c = 3
    d = locals()
    d["a"] = "changed"
    return sorted(d.items(), key=lambda kv: kv[0]), a
print(f(1))
def g(x, y):
    args = dict(locals())
    return [args[k] for k in ("x", "y")]
print(g(5, 6))
def h():
    v = locals()
    v["name_%d" % 3] = 7
    return v["name_3"]
print(h())
