for x in [1, 2]:
    print(x, end=" ")
for x in (3, 4):
    print(x, end=" ")
for x in "ab":
    print(x, end=" ")
for x in {"k": 1}:
    print(x, end=" ")
for x in {5}:
    print(x, end=" ")
for x in range(2, 0, -1):
    print(x, end=" ")
for x in enumerate("z"):
    print(x, end=" ")
for x in []:
    print("never")
print(x)
