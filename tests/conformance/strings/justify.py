print("a".ljust(4) + "|", "a".rjust(4), "a".center(5) + "|", "ab".center(5, "*"), "5".zfill(3), "-5".zfill(4), "abc".zfill(2), "x".ljust(3, "."), "x".rjust(3, "0"))
