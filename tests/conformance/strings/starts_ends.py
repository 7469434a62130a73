s = "vec_add"
print(s.startswith("vec"), s.endswith("add"), s.startswith(("x", "v")), s.endswith(("y", "z")), s.startswith(""), s.startswith("add", 4), s.endswith("vec", 0, 3))
