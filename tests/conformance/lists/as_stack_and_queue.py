q = [1]
out = []
while q:
    n = q.pop(0)
    out.append(n)
    if n < 20:
        q.append(n * 2)
        q.append(n * 3)
print(out)
