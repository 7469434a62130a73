def tile(shape, dtype="float16", align=16, limit=None):
    return shape * 2 + align if limit is None else limit


total = 0
for i in range(600000):
    total += tile(i, align=32)
    total += tile(i, "float32", limit=7)
print(total)
