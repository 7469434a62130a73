print(list(map(str, [1, 2])), list(map(lambda a, b: a + b, [1, 2, 3], [10, 20])), list(map(int, "123")), tuple(map(len, ["a", "bc"])))
print(sum(map(abs, [-1, 2])), [x for x in map(lambda v: v * 2, range(3))], ",".join(map(str, (1, 2.5, None))))
