import re

patterns = ["a", "a*", "a+?", "(a)(b)?", "a|ab", "(?:ab)+", "[a-c]+", "[^a]", "^a", "a$", "\\d+", "\\w+\\s*", "\\bab\\b", "a{2,3}", "a{2}?",
            "(a|b)*c", "(a*)*", "(a)\\1", "(?P<x>a)(?P=x)", "a(?=b)", "a(?!b)", ".", "", "x|", "[]a]", "[a\\]-]+", "(a(b)?)+", "a{,2}", "a{x", "(?i)AB"]
texts = ["", "a", "ab", "aab", "abab c", "caabbab", "x1 22\nab", "baaac", "a]b-", "a{x", "aXbAB"]
for p in patterns:
    for t in texts:
        m, f = re.search(p, t), re.fullmatch(p, t)
        print(p, repr(t), re.findall(p, t), m and (m.span(), m.groups()), f and f.group(), re.split(p, t), re.sub(p, "<\\g<0>>" if 0 else "-", t))
print(re.match("(\\d+)-(\\w+)", "12-ab c").groups(), re.match("b", "ab"), re.compile("A", re.I).match("a").span())
print(re.sub("(\\w)(\\w)", r"\2\1", "abcd"), re.sub("a", lambda m: m.group().upper(), "banana", count=2), re.subn("a", "", "banana"))
print(re.split("[,;] *", "a, b;c"), re.split("(,)", "a,b,c", maxsplit=1), re.escape("a.b*c"), re.findall("^a.", "ab\nac", re.M), re.findall("a.b", "a\nb", re.S))
m = re.match("(?P<x>a)(?P<y>b)?(c)", "ac")
print(m.groupdict(), m.group("x"), m.group(1, 3), m["y"], m.start("y"), m.end(), m.expand(r"[\g<x>\3]"), [m.start() for m in re.finditer("a", "banana")])
for bad in ("(", ")", "[a", "*a", "a{3,2}", "\\1", "a**", "(?P<1>a)"):
    try:
        re.compile(bad)
        print("no error", bad)
    except re.error:
        print("error", bad)
