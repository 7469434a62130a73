def f(a, b=1):
    return a
for call in [lambda: f(), lambda: f(1, 2, 3), lambda: f(1, a=2), lambda: f(c=1), lambda: f(*[], **{"z": 1})]:
    try:
        call()
        print("no error")
    except TypeError as e:
        print("TypeError", str(e).split()[0])
