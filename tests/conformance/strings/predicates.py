for s in ["", "abc", "123", "a1", " ", "ABC", "_x", "1.5", "Ab"]:
    print(repr(s), s.isdigit(), s.isalpha(), s.isalnum(), s.isspace(), s.isupper(), s.islower(), s.isidentifier(), s.isdecimal())
