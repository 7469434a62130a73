d = {range(0, 3, 2): 1, range(0): 2}
print(range(0, 3, 2) == range(0, 4, 2), range(5, 5) == range(0))
print(d.get(range(0, 4, 2)), d.get(range(7, 7, 3)), d.get(range(1, 0)))
print(len({range(4, 5), range(4, 9, 7)}))
print(len({range(-2**63), range(2**63 - 1), range(-2**63, -2**63 + 9, 4)}))
print(len({range(-2**63) for i in range(56)}))
