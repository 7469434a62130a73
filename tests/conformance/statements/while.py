n = 3
while n:
    print(n)
    n -= 1
while True:
    n += 1
    if n == 2:
        continue
    if n > 3:
        break
    print("n", n)
