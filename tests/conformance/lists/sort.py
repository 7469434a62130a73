a = [3, 1, 2]
print(a.sort(), a)
a.sort(reverse=True)
print(a)
b = ["bb", "a", "ccc"]
b.sort(key=len)
print(b)
b.sort(key=lambda s: s[0], reverse=True)
print(b)
c = [(2, "x"), (1, "z"), (1, "y")]
c.sort()
print(c)
d = [2.5, 1, True, -1]
d.sort()
print(d)
