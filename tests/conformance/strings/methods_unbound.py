print(str.upper("a"), str.join("-", ["a", "b"]), list(map(str.strip, [" a", "b "])), str.replace("aa", "a", "b"))
