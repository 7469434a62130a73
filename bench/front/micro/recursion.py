# Recursion: permutations, partitions, a tree, memoised and plain.
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def permutations(items):
    if len(items) <= 1:
        return [items]
    out = []
    for i in range(len(items)):
        for rest in permutations(items[:i] + items[i + 1:]):
            out.append([items[i]] + rest)
    return out


def partitions(n, largest, memo):
    if n == 0:
        return 1
    if n < 0 or largest == 0:
        return 0
    key = (n, largest)
    if key not in memo:
        memo[key] = partitions(n, largest - 1, memo) + partitions(n - largest, largest, memo)
    return memo[key]


def tree(depth):
    return None if depth == 0 else (tree(depth - 1), depth, tree(depth - 1))


def total(t):
    return 0 if t is None else total(t[0]) + t[1] + total(t[2])


print(ackermann(2, 200), len(permutations(list(range(7)))), partitions(250, 250, {}), total(tree(15)))
