a = [0, 1, 2, 3, 4]
s = "abcde"
for start in [None, -7, -2, 0, 2, 7]:
    for stop in [None, -7, -1, 0, 3, 7]:
        for step in [None, 1, 2, -1, -2]:
            print(a[start:stop:step], s[start:stop:step], list(range(5)[start:stop:step]), tuple(a)[start:stop:step] == tuple(a[start:stop:step]))
