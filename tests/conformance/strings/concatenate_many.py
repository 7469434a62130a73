s = ""
for i in range(50):
    s += str(i) + ("," if i < 49 else "")
print(s, len(s))
