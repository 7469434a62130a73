# Sums that share a beginning stay apart, and a text that grows by appending is not copied each time.
base = "x" * 300
one = base + "1"
two = one + "2"
three = one + "3"
four = two + "4"
print(one[-3:], two[-3:], three[-3:], four[-3:], len(one), len(four), one == base + "1", two == three)
names = {one: 1, two: 2, three: 3}
print(names[base + "12"], names[base + "13"], one.upper()[-2:], "%s|" % one == base + "1|")
s = ""
for i in range(60000):
    s += "ab"
print(len(s), s[:4], s[-4:], s.count("ab"))
s += s
print(len(s), s[119998:120002])
t = "\u00e9" + s
n = 0
for i in range(2000):
    n += t[i] == "a"
print(n, t[0], t[-1], t[5:9])
