# Texts and formatting.
s = "Hello, World"
print(s.lower(), s.upper(), s.find("o"), s.find("o", 5), s.find("z"), s.rfind("o"), s.index("W"), s.count("o"), s.count("l"))
print(s.replace("o", "0"), s.replace("l", "L", 1), s.replace("", "-"), s.startswith("He"), s.endswith("ld"), s.endswith(("x", "d")), s.swapcase())
print("a,b,,c".split(","), " a  b ".split(), "a,b,c".split(",", 1), "a.b.c".rsplit(".", 1), "x".split(","), "".split(), "".split(","), "a b c".split(None, 1))
print(",".join(["a", "b"]), "".join([]), "-".join("abc"), ", ".join(str(v) for v in (1, 2)))
print("  x ".strip(), "xxaxx".strip("x"), "  x ".lstrip() + "|", "  x ".rstrip() + "|", "abc".strip("abc"), "\n\tq\r\n".strip())
print("12".isdigit(), "a1".isdigit(), "".isdigit(), "ab".isalpha(), "a1".isalnum(), " ".isspace(), "AB".isupper(), "ab".islower(), "a_1".isidentifier(), "1a".isidentifier())
print("abc".ljust(5) + "|", "abc".rjust(5, "*"), "abc".center(7, "-"), "abc".center(6), "ab".center(5), "42".zfill(5), "-42".zfill(5), "hello world".title(), "hELLO".capitalize())
print("a-b-c".partition("-"), "a-b-c".rpartition("-"), "abc".partition("x"), "l1\nl2\r\nl3".splitlines(), "prefix_x".removeprefix("prefix_"), "x_suffix".removesuffix("_suffix"))
print(repr("it's"), repr('say "x"'), repr('both \' "'), repr("tab\t nl\n bs\\ \x01"), ["it's"], str(["a"]), repr(""))
print("abc" < "abd", "abc" < "abcd", "Z" < "a", "a" + "b" == "ab", "b" > "a", "abc"[::-1], "x" "y" 'z')
print("%s %d %r %5d|%-5d|%05d %+d %x %X %o %c %%" % ("a", 5, "b", 42, 42, 42, 42, 255, 255, 8, "z"))
print("%s" % 5, "%s" % (5,), "%s %s" % ([1], (2,)), "%d" % 3.9, "%5.2f|%e|%g|%G" % (3.14159, 12345.678, 0.0001, 1e20), "%s" % None, "%10s|%-10s|" % ("a", "b"))
print("%(a)s %(b)d" % {"a": 1, "b": 2}, "%.3s" % "abcdef", "%*d" % (6, 42), "%#x" % 255, "% d" % 5, "%s" % {"k": 1}, "%d%%" % 50)
print("{} {}".format(1, "a"), "{1} {0}".format("x", "y"), "{a} {b}".format(a=1, b=[2]), "{{}}".format(), "{0[1]}".format([5, 6]), "{d[k]}".format(d={"k": 3}))
print("{:>5}|{:<5}|{:^5}|{:*^7}|{:05d}|{:+d}|{:,}|{:_}".format(1, 2, 3, 4, 42, 7, 1234567, 1234567))
print("{:.2f} {:e} {:g} {:.0f} {:%} {:.1%}".format(3.14159, 12345.6789, 1e-5, 2.5, 0.25, 0.123), "{:x} {:X} {:o} {:b} {:#x} {:#b}".format(255, 255, 8, 5, 255, 5))
print("{!r} {!s} {:>10} {:<10}|".format("a", "b", "right", "left"), "{:{}}".format("x", 5) + "|", "{:10.3f}|{:<10.3f}|{:^10.3f}|{:+.2f}".format(1.5, 1.5, 1.5, 1.5))
print(format(5, "03d"), format(3.5, ".3f"), format("a", ">3"), format(True), format(1e10), format(1234.5, ",.2f"), format(12345678, ",d"), format(-5, "05d"), format(1.0, "g"), format(100000.0, "g"), format(1e6, "g"), format(123456789.0, ""))
print(str(1), str(1.0), str(None), str(True), str([1, "a"]), str((1,)), str({"a": 1}), str(2**70))
print("é", len("é"), "aéb"[1], "aéb"[1:], "aéb"[::-1], "aéb".find("b"), [c for c in "aéb"], "é" in "aéb", "日本"[0], ord("é"), chr(233), ord("a"), chr(97), ord("日"), chr(26085))
print("a" * 3 + "b", "x" in "xyz", "ab" not in "xyz", "a\
b", r"raw\n", "\x41\u0042\101", """triple
line""")
print(hex(255), bin(5), oct(8), hex(-255), int("ff", 16), chr(65), "A" "B")
name = "k"; n = 3
print("tensor_" + name + str(n), "%s_%d" % (name, n), "{}_{}".format(name, n))
print("abcabc".index("c", 3), "abc".rjust(2), "a\tb".split("\t"), "k=v;k2=v2".split(";"), [p.split("=") for p in "k=v;k2=v2".split(";")])
