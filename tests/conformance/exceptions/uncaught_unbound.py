def f():
    x += 1
x = 5
f()
