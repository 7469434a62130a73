print("{0} {1}".format("one"))
