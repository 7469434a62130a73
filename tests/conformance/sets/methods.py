s = {1}
s.add(2)
s.add(2)
s.update([3, 4], (5,))
s.discard(9)
s.remove(1)
print(s, len(s), 2 in s, 1 not in s, s.copy() == s, s.copy() is s)
s -= {2}
s |= {7}
s &= {7, 3}
print(s)
s.clear()
print(s, bool(s))
try:
    s.remove(1)
except KeyError as e:
    print("KeyError", e)
