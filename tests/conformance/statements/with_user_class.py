class Scope:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        print("enter", self.name)
        return self.name + "!"
    def __exit__(self, kind, value, trace):
        print("exit", self.name, kind is None)
        return False
with Scope("a") as x:
    print(x)
with Scope("b") as b, Scope("c") as c:
    print(b, c)
with Scope("d"):
    pass
