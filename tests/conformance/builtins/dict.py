print(dict(), dict(a=1, b=2), dict([("x", 1), ["y", 2]]), dict({"k": 1}), dict({"k": 1}, k=2, z=3), dict(zip("ab", [1, 2])))
print(dict(["ab", "cd"]), dict(**{"q": 1}))
