def f(x): return x + 1
class A: v = 3
while False: pass
try: print(f(A.v))
except ValueError: pass
