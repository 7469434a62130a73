def f(x):
    try:
        if x:
            raise x
        return [][1]
    except:
        return "caught"
print(f(None), f(KeyError("a")))
