seen = set()
out = []
for item in [(1, 2), "a", (1, 2), "b", "a", None, 1.0, 1]:
    if item not in seen:
        seen.add(item)
        out.append(item)
print(out, len(seen))
