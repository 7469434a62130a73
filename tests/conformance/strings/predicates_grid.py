for text in ("", "abc", "Abc Def", "ABC", "aB", "1", "a1", " \t", "A_b", "1a", "a b", "A1b", "It's"):
    print([text.isalpha(), text.isdigit(), text.isalnum(), text.isspace(), text.isupper(), text.islower(), text.istitle(),
           text.isidentifier(), text.isprintable(), text.isascii(), text.isdecimal(), text.isnumeric()])
