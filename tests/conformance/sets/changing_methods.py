s = {1, 2, 3, 4}
same = s
s.intersection_update([2, 3, 4, 5], {3, 4, 5})
print(s, same is s)
s.difference_update([3])
s.symmetric_difference_update([4, 5])
print(s, same is s)
s.update([1], (2,), {3})
s &= {1, 2, 9}
s |= {7}
s -= {1}
s ^= {7, 8}
print(s, same is s, same)
