ord("ab")
