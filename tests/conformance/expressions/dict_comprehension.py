print({x: x * x for x in range(4)})
print({k: v for k, v in [("a", 1), ("b", 2), ("a", 3)]})
print({k.upper(): v for k, v in {"x": 1, "y": 2}.items() if v > 1})
