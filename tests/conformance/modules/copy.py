import copy
from copy import deepcopy
a = {"k": [1, (2, [3])], "s": {4}}
b = copy.deepcopy(a)
c = copy.copy(a)
b["k"][1][1].append(9)
c["k"].append("shared")
print(a, b)
x = [1]
y = [x, x]
z = deepcopy(y)
print(z[0] is z[1], z[0] is x, z)
class P:
    def __init__(self):
        self.v = [1]
p = P()
q = deepcopy(p)
q.v.append(2)
print(p.v, q.v)
