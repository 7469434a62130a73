a = [1]
b = a
a += [2]
print(b, a is b)
a *= 2
print(b)
a = a + [9]
print(b, a is b)
t = (1,)
u = t
t += (2,)
print(t, u)
a += "xy"
a += (3,)
print(a)
