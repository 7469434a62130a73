print("a,b,c".split(","), "a b  c ".split(), "".split(), "".split(","), "a,b,c".split(",", 1), " a b ".split(" "), "abc".split("abc"))
print("a--b--c".split("--"), "a,b,c".rsplit(",", 1), "a\nb\r\nc".splitlines(), "x y z".split(None, 1), "a\tb\nc".split(), "a b c".split(maxsplit=1))
print("a.b.c".partition("."), "abc".partition("."), "a.b.c".rpartition("."), "a\n\nb\n".splitlines())
