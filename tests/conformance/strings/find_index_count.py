s = "hello world"
print(s.find("o"), s.find("o", 5), s.find("zz"), s.rfind("o"), s.index("w"), s.rindex("l"), s.count("l"), s.count("zz"), s.count(""), s.find(""))
print(s.find("o", 5, 6), s.find("l", -3), s.count("o", 5), "aaaa".count("aa"), s.find("h", 1))
