print(tuple(), tuple("ab"), tuple([1, 2]), tuple(range(2)), tuple({"k": 1}), tuple((1,)), tuple(x * 2 for x in range(2)))
a = (1, 2)
print(tuple(a) == a, a + (3,), a * 2, a.index(2), a.count(1), a[::-1])
