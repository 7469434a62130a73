data = [3, 1, 2]
n = len(data)
if n > 2 and data[0] == 3 and not data[1] > 1:
    print("ok", n)
