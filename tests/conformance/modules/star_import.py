from math import *
print(ceil(1.5), floor(1.5), sqrt(4), gcd(4, 6))
