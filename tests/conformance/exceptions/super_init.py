class E(RuntimeError):
    def __init__(self, name):
        super().__init__("bad " + name)
        self.name = name
try:
    raise E("thing")
except RuntimeError as e:
    print(e, e.name)
