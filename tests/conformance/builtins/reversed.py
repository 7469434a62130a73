print(list(reversed([1, 2, 3])), list(reversed("abc")), tuple(reversed((1, 2))), list(reversed(range(0, 10, 3))), list(reversed([])))
a = [1, 2]
for x in reversed(a):
    print(x)
print("".join(reversed("hello")), a)
