"""The module's text."""
def f():
    """The function's text."""
    return 1
class A:
    """The class's text."""
    x = 2
"a bare text"
print(f(), A.x)
