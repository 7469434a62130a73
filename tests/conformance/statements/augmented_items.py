class A:
    n = 1
a = A()
a.n += 5
print(a.n, A.n)
d = {"k": 1}
d["k"] += 1
d["k"] *= 10
l = [1, [2]]
l[0] -= 3
l[1] += [4]
print(d, l)
