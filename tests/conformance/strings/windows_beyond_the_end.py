s = "abc"
print(s.find("", 3), s.find("", 4), s.find("c", 2), s.find("x", 20), s.count("", 3), s.count("", 9), s.count("c", -1))
print(s.startswith("", 3), s.startswith("", 4), s.endswith("", 9), s.startswith(("b", "z"), 1), s.rfind("", 1, 2), s.find("abc", -10))
