classes = []
for i in range(3):
    class C:
        v = i
    classes.append(C)
print([c.v for c in classes])
