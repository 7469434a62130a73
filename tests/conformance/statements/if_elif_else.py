for x in range(-1, 4):
    if x < 0:
        print("negative")
    elif x == 0:
        print("zero")
    elif x == 1:
        print("one")
    else:
        if x == 2:
            print("two")
        else:
            print("many")
