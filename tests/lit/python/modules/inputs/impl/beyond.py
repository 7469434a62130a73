from ..above import x
print(x)
