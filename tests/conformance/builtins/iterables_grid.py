for v in [[], [1], (1, 2), "ab", {"k": 1}, range(3), {5}, enumerate("x"), zip([1], [2]), map(str, [1]), reversed([1, 2]), (i for i in range(2)), {"a": 1}.items(), {"a": 1}.values()]:
    print(list(v), end=" ")
print()
for f in (list, tuple, sum, max, min, sorted, len, any, all, set):
    print(f([3, 1, 2]), f((1,)), f(range(1, 3)), end=" ")
print()
