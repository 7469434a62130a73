class Quiet:
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        print(kind.__name__, value)
        return True
with Quiet():
    raise ValueError("x")
print("after")
def f():
    for i in range(3):
        with Quiet():
            if i == 1:
                raise KeyError("k")
            print("i", i) if i else None
            break
    return i
class Loud(Quiet):
    def __exit__(self, kind, value, trace):
        print("leaves", kind)
with Loud():
    print("body")
