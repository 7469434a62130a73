def counter():
    n = 0
    def bump():
        nonlocal n
        n += 1
        return n
    return bump
a = counter()
b = counter()
print(a(), a(), b(), a())
def outer():
    x = 1
    def middle():
        def inner():
            nonlocal x
            x = 5
        inner()
    middle()
    return x
print(outer())
