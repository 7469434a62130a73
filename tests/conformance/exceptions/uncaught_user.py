class Failed(Exception):
    pass
def f():
    raise Failed("stage", 3)
f()
