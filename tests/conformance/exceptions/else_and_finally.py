def f(x):
    try:
        print("try", x)
        if x == 1:
            raise KeyError("k")
        if x == 2:
            return "returned"
    except KeyError:
        print("except")
    else:
        print("else")
    finally:
        print("finally")
    return "end"
for i in range(3):
    print(f(i))
