from impl import *

print(sorted(n for n in dir() if n[0] != "_"))
hidden
