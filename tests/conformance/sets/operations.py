a = {1, 2, 3}
b = {2, 3, 4}
print(a | b, a & b, a - b, a ^ b, a.union(b), a.intersection(b), a.difference(b), a.symmetric_difference(b))
print(a.union([9], (8,)), a & set(), a.isdisjoint({7}), {1, 2} <= a, a <= a, a < a, a >= {1}, a.issubset(b), a.issuperset({1}))
