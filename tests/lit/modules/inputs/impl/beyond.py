from ..above import x
