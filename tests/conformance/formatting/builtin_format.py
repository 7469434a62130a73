print(format(5, "05d"), format(1.5, ".3f"), format("x", ">3"), format(255, "x"), format(None), format([1]))
