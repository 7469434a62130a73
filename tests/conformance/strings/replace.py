print("aXbX".replace("X", "y"), "aaa".replace("a", "b", 2), "abc".replace("", "-"), "abc".replace("z", "y"), "aaa".replace("aa", "b"), "abc".replace("b", ""))
