flag = False
if flag:
    v = 1
else:
    v = 2
def f():
    if v == 2:
        w = "two"
    else:
        w = "other"
    return w
print(f())
v = 3
print(f())
