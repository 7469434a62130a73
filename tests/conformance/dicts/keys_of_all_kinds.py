d = {1: "int", "1": "str", (1, 2): "tuple", None: "none", 1.5: "float", False: "false", 2 ** 70: "big"}
print(d[1], d[1.0], d[True], d["1"], d[(1, 2)], d[None], d[1.5], d[0], d[2 ** 70], len(d))
d[1.0] = "changed"
print(d)
