x = 5
print("big" if x > 3 else "small", 1 if x else 2 if x > 1 else 3)
print((1 if x == 0 else 2) + 1, [i if i % 2 else -i for i in range(4)])
print("a" if 0 else "b" if 0 else "c")
print(1 if True else 1 / 0)
