print("abc".translate(str.maketrans("ab", "xy")), "abcabc".translate(str.maketrans("a", "1", "c")))
print("abc".translate({97: "zz", 98: None}), "abc".translate({97: 65, 99: "\u4e2d"}), "\u00e9a".translate({0xe9: "e"}))
print(str.maketrans({"a": 1, "b": None, 99: "c"}), str.maketrans("a\u00e9", "xy"))
for args in (("ab", "c"), ({"ab": 1},)):
    try:
        str.maketrans(*args)
    except ValueError:
        print("ValueError")
