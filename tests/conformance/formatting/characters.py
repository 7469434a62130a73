print("{:c}".format(65), "{:>4c}|{:<4c}|{:^5c}|{:04c}".format(66, 0xe9, 0x4e2d, 67), f"{0x1f600:c}", "%c%c%c" % (65, "b", 0x4e2d))
for spec in (".2c", "+c", "#c"):
    try:
        format(65, spec)
    except ValueError:
        print("ValueError", spec)
for v in (-1, 0x110000):
    try:
        format(v, "c")
    except OverflowError as e:
        print(e)
