for i in range(4):
    for j in range(4):
        if j == i:
            break
        if j == 1:
            continue
        print(i, j)
    if i == 2:
        break
print(i, j)
