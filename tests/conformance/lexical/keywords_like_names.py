iff = 1
forx = 2
in_ = 3
Not = 4
print_ = 5
_ = 6
__ = 7
match = 8
case = 9
type_ = 10
print(iff, forx, in_, Not, print_, _, __, match, case, type_)
