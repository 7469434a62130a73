import collections
print(collections.OrderedDict([(1,2)]))
from collections import OrderedDict
d=OrderedDict()
d["a"]=1
d["b"]=2
d.move_to_end("a")
print(list(d), d.popitem(last=False), d)
