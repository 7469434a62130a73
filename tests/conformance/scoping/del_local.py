def f():
    x = 1
    del x
    try:
        return x
    except NameError as e:
        return type(e).__name__
print(f())
