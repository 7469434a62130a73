print(None + 1)
