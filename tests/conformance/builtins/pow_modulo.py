print(pow(2, 10, 1000), pow(3, -1, 7), pow(3, -2, 7), pow(2, 100, -7), pow(5, 0, 1), pow(-2, 3, 5))
for args in ((2, -1, 4), (2, 3, 0)):
    try:
        print(pow(*args))
    except ValueError as e:
        print("ValueError")
