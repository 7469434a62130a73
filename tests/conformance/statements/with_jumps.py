class S:
    def __enter__(self):
        print("in")
    def __exit__(self, *a):
        print("out", a[0])
def f():
    with S():
        return 5
print(f())
for i in range(3):
    with S():
        if i == 0:
            continue
        break
print(i)
