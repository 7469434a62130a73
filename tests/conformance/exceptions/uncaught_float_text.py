float("one")
