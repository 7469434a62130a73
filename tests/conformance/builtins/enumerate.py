print(list(enumerate("ab")), list(enumerate([5, 6], 1)), list(enumerate([])), list(enumerate("x", start=-1)))
for i, (a, b) in enumerate(zip("xy", [1, 2])):
    print(i, a, b)
