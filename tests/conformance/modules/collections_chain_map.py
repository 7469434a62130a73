from collections import ChainMap
c=ChainMap({1:2},{3:4})
print(c[3], 1 in c, len(c))
