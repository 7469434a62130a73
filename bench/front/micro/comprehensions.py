s = 0
for r in range(150):
    a = [i * 2 for i in range(5000)]
    b = [x for x in a if x % 3 == 0]
    d = {k: k + 1 for k in b}
    e = {x & 15 for x in a}
    s += len(d) + sum(x for x in b) + len(e)
print(s)
