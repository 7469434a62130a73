def f():
    try:
        try:
            raise KeyError("inner")
        except ValueError:
            print("wrong")
        finally:
            print("inner finally")
    except KeyError as e:
        print("outer", e.args)
        try:
            raise TypeError("second")
        except TypeError as t:
            print("t", t)
        print("still", e.args)
f()
