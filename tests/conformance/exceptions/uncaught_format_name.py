print("{name}".format(other=1))
