class Range3:
    def __iter__(self):
        return iter([1, 2, 3])
print(list(Range3()), [x for x in Range3()], sum(Range3()), max(Range3()))
for x in Range3():
    print(x)
a, b, c = Range3()
print(a, b, c)
