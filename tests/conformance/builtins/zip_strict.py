print(list(zip([1, 2], "ab", strict=True)), list(zip(strict=True)), list(zip([1, 2], [3], strict=False)))
for lists in (([1, 2], [3]), ([1], [2, 3]), ([1, 2], [1, 2], [3]), ([1], [2], [3, 4]), ([], [1])):
    try:
        print(list(zip(*lists, strict=True)))
    except ValueError as e:
        print(e)
