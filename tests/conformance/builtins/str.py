print(str(), str(5), str(1.5), str(None), str(True), str("x"), str([1, "a", None]), str((1,)), str({"k": [1.0]}), str({3}))
print(repr(str("x")), str(-0.0), str(2 ** 70), str(range(3)), str(ValueError("v")), str(()), str({}), str(set()))
