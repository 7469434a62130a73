x = 0.5
s = 0.0
for i in range(2500000):
    x = 3.7 * x * (1.0 - x)
    s += x / (i + 1.0)
print(s)
