for i in range(3):
    last = i * 10
print(i, last)
def f():
    for j in [1, 2]:
        pass
    return j
print(f())
