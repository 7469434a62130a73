def area(r):
    import math
    from math import floor as down
    def sq(x):
        return x * x
    return down(math.pi * sq(r))
print(area(2), area(10))
