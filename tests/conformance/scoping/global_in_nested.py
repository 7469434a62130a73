n = 1
def outer():
    n = 2
    def inner():
        global n
        n = 3
    inner()
    return n
print(outer(), n)
