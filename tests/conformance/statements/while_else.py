n = 0
while n < 2:
    n += 1
else:
    print("done", n)
while n < 5:
    n += 1
    if n == 4:
        break
else:
    print("never")
print(n)
