from collections import defaultdict
d=defaultdict(list)
d["a"].append(1)
d["b"]
print(d, dict(d), d.get("z"), len(d), "q" in d, sorted(d.items()))
from collections import defaultdict
d=defaultdict(int)
for c in "hello": d[c]+=1
print(dict(d), d.default_factory is int)
from collections import defaultdict
d=defaultdict()
try:
    d[1]
except KeyError as e: print("KeyError",e)
d=defaultdict(int,{1:2},a=3)
print(d==defaultdict(int,{1:2},a=3), d=={1:2,"a":3}, isinstance(d,dict))
