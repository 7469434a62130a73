# Tables that grow beyond what one search of neighbours holds: dictionaries and sets of thousands of items, made of
# ranges, lists and of themselves, with deletions between.
numbers = set(range(5000))
numbers.update(range(10000, 4000, -3))
numbers.update(range(0))
numbers.update(numbers)
numbers.update([7, 7.0, True], (8, 10 ** 30), {9: 1}, "ab")
print(len(numbers), sum(n for n in numbers if not isinstance(n, str)), 9998 in numbers, 9997 in numbers)
for n in range(0, 5000, 2):
    numbers.discard(n)
print(len(numbers), 4 in numbers, 5 in numbers)
numbers |= set(range(-3000, 3000))
print(len(numbers), min(n for n in numbers if not isinstance(n, str)))

table = {}
for i in range(4000):
    table[i * 17 % 4001] = i
    if i % 3 == 0:
        del table[i * 17 % 4001]
print(len(table), list(table.items())[:3], list(table.items())[-3:])
for i in range(4000):
    table["k%d" % i] = i
print(len(table), table["k3999"], list(table)[:2], list(table)[-1])
try:
    for key in table:
        table[(key, key)] = 1
except RuntimeError as e:
    print("RuntimeError", e)
try:
    set([1, [2]])
except TypeError:
    print("TypeError")
print(len(frozenset(range(3000))), frozenset((1, 2)) == frozenset([2, 1]), len(set(range(5, 5))))
