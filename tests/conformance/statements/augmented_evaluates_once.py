def key():
    print("key")
    return "k"
d = {"k": 1}
d[key()] += 1
print(d)
def obj():
    print("obj")
    return [1, 2]
obj()[0] += 1
