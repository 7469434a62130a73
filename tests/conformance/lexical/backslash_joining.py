x = 1 + \
    2
y = \
    5
assert x == 3, \
    "no"
if x == 3 and \
   y == 5:
    print("yes")
print(x \
      , y)
