from collections import Counter
c=Counter("hello")
print(c, c["l"], c["z"], c.most_common(2), sorted(c.elements()), sum(c.values()))
c.update("ll")
print(c["l"], c+Counter("h"), c-Counter("l"))
print(Counter(a=1,b=2), Counter([1,1,2]).total())
