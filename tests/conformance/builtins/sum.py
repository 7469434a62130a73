print(sum([]), sum([1, 2, 3]), sum((0.5, 1)), sum(range(10)), sum([[1], [2]], []), sum([1], 10), sum([True, True]), sum([2 ** 64, 1]))
print(sum([0.1] * 10) > 0.99, sum([1, 2], start=5), sum([(1,), (2,)], ()))
