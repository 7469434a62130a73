a = []
for i in range(2000):
    a.append(i * i)
print(len(a), a[-1], sum(a), a[1000:1003], a.index(10000))
a.reverse()
print(a[0], a[1999])
