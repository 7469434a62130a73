counts = {}
for c in "mississippi":
    counts[c] = counts.get(c, 0) + 1
print(counts, sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])))
groups = {}
for w in ["a", "bb", "cc", "d"]:
    groups.setdefault(len(w), []).append(w)
print(groups)
