d = {}
for i in range(400000):
    d[i * 7] = i
s = 0
for i in range(400000):
    s += d[i * 7]
    if i in d:
        s += 1
names = {"float16": 2, "float32": 4, "int8": 1, "int32": 4}
for i in range(700000):
    s += names["float16"] + names.get("int8", 0)
for k, v in d.items():
    s += k - v
print(s, len(d))
