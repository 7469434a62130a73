d = {"a": 1}
print(d.__contains__("a"), [1, 2].__contains__(3))
d.__setitem__("b", 2)
print(d, d.__getitem__("b"), [1, 2].__len__())
