class Ops:
    table = {"add": lambda a, b: a + b}
    func = len
    pick = staticmethod(lambda x: x + 1)
print(Ops.table["add"](1, 2), Ops().func([1, 2]), Ops.pick(1), Ops().pick(2))
