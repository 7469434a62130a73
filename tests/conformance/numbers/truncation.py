print(int(1.9), int(-1.9), int(1e18), int(-1e18), int(2 ** 53 + 0.0), int(1e30), round(1e17), int(0.99999999999999999))
