def f():

    x = 1

    # a comment

    return x


print(f())
