print(list(range(5)), list(range(2, 5)), list(range(0, 10, 3)), list(range(5, 0, -2)), list(range(0)), list(range(5, 2)))
print(range(5), range(1, 5), range(1, 5, 2), len(range(0, 10, 3)), range(10)[-1], range(3) == range(0, 3, 1))
print(5 in range(0, 10, 5), 4 in range(0, 10, 5))
print(list(reversed(range(4))), sum(range(101)), max(range(3, 9)), len(range(10 ** 15)))
