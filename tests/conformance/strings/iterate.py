for i, c in enumerate("héy"):
    print(i, c)
print([c for c in "abc"], list("漢字"), len("漢字"), "字" in "漢字", max("abc"), sorted("cab"))
