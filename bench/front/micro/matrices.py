# Lists of lists and floating point: products, transposition, a relaxation.
n = 60
a = [[(i * j) % 7 + 0.5 for j in range(n)] for i in range(n)]
b = [[(i + j) % 5 - 1.25 for j in range(n)] for i in range(n)]


def times(x, y):
    columns = list(zip(*y))
    return [[sum(p * q for p, q in zip(row, column)) for column in columns] for row in x]


c = times(a, b)
d = [list(r) for r in zip(*c)]
grid = [[0.0] * 80 for _ in range(80)]
grid[0] = [1.0] * 80
for _ in range(12):
    new = [row[:] for row in grid]
    for i in range(1, 79):
        up, here, down = grid[i - 1], grid[i], grid[i + 1]
        for j in range(1, 79):
            new[i][j] = (up[j] + down[j] + here[j - 1] + here[j + 1]) / 4
    grid = new
print(round(sum(map(sum, d)), 6), round(grid[3][40], 9))
