out = ""
for i in range(300000):
    out += "ab"
n = 0
for i in range(300000):
    name = "tensor_%d_%s" % (i, "float16")
    n += len(name)
    name = f"{i}:{n}"
    n += len(name)
    name = "{}-{}".format(i, n)
    n += len(name)
words = ",".join([str(i) for i in range(200000)]).split(",")
print(len(out), n, len(words))
