# Texts put together in each of the ways there are.
out = []
for i in range(60000):
    out.append("%d,%s,%05d,%x" % (i, "abc", i, i))
    out.append("{} {:>8} {:.3f}".format(i, i * 2, i / 7))
    out.append(f"{i:08b}|{i!r}|{i * 1.5:.2e}")
    out.append(str(i) + ":" + repr(i / 3) + ";" + hex(i))
text = "\n".join(out)
parts = text.split("\n")
n = 0
for p in parts:
    if "," in p:
        n += len(p.split(","))
    elif p.startswith("0"):
        n += p.count("1")
    else:
        n += len(p.strip().upper().replace(":", "--"))
print(n, len(text))
