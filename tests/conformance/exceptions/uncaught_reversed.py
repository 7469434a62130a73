for x in reversed(5):
    print(x)
