# Tables of records: dicts of dicts, grouping, joining, counting, text keys.
rows = []
for i in range(60000):
    rows.append({"id": i, "name": "n%d" % (i % 977), "group": i % 13, "size": (i * 7919) % 1009})
groups = {}
for r in rows:
    g = groups.setdefault(r["group"], {"n": 0, "size": 0, "names": set()})
    g["n"] += 1
    g["size"] += r["size"]
    g["names"].add(r["name"])
by_name = {}
for r in rows:
    by_name.setdefault(r["name"], []).append(r["id"])
total = 0
for name, ids in by_name.items():
    if name in groups or len(ids) > 3:
        total += sum(ids)
best = sorted(groups.items(), key=lambda kv: (-kv[1]["size"], kv[0]))
merged = {}
for k, g in best:
    merged.update({"%d:%s" % (k, f): v for f, v in g.items() if f != "names"})
for k in list(merged):
    if k.endswith(":n"):
        del merged[k]
print(total, best[0][0], len(merged), sum(len(g["names"]) for g in groups.values()))
