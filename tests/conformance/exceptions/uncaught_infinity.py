int(float("inf"))
