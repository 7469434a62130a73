class Scope:
    def __init__(self, v):
        self.v = v
    def __enter__(self):
        return self.v
    def __exit__(self, *a):
        print("out", len(a))
class Holder:
    pass
h = Holder()
with Scope(1) as h.x:
    print(h.x)
d = {}
with Scope((2, 3)) as (a, b), Scope(4) as d["k"]:
    print(a, b, d)
