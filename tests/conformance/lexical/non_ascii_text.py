s = "größe 漢字"
print(s, len(s))
print(s[2], s[-1])
print(repr(s))
