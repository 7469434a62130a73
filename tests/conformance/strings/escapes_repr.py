for s in ["a\nb", "tab\t", "back\\slash", "q'q", 'd"d', "both'\"", "\x01", "\r\n"]:
    print(repr(s), len(s))
