for x in [1, 2]:
    if x == 3:
        break
else:
    print("not found")
for x in [1, 2]:
    if x == 2:
        break
else:
    print("never")
for x in []:
    pass
else:
    print("empty")
