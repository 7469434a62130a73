print("a" == "a", "a" != "b", "a" < "b", "B" < "a", "abc" < "abcd", "" < "a", "10" < "9", "é" > "z", "abc" >= "abc")
print(max(["b", "a"]), min("x", "abc"), sorted(["b", "B", "a", "A", "1"]))
