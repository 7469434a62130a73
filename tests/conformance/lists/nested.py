m = [[1, 2, 3], [4, 5, 6]]
print([row[1] for row in m], [list(c) for c in zip(*m)], [x for row in m for x in row], sum(m, []), m[1][::-1])
m[0][1:] = [9]
print(m, len(m[0]))
