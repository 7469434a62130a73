def f():
    for i in range(3):
        try:
            if i == 0:
                continue
            if i == 1:
                break
        finally:
            print("finally", i)
    return i
print(f())
def g():
    try:
        return "try"
    finally:
        print("cleanup")
print(g())
def h():
    try:
        raise ValueError("lost")
    finally:
        return "finally wins"
print(h())
