def f():
    try:
        1 // 0
    except ZeroDivisionError:
        print("seen")
        raise
try:
    f()
except ZeroDivisionError as e:
    print("again", type(e).__name__)
try:
    try:
        raise ValueError("a")
    except ValueError as e:
        raise e
except ValueError as e2:
    print(e2)
